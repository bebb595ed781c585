// Marian models with int8 weights, as used in Firefox (Bogoychev et al. 2021: intgemm8 with
// activation multipliers, "alphas"). The integers are kept; nothing is rounded again.
#pragma once

#include <filesystem>

#include "interchange/marian/marian_binary.h"
#include "interchange/marian/marian_tokenizer.h"

namespace dietmt::interchange {

/// Finds the files in a directory of Firefox: `model*.bin`, `vocab*.spm` or `srcvocab*.spm` and
/// `trgvocab*.spm`, and `lex*.bin` if there is one. Throws DataError naming the directory and what
/// is missing or ambiguous.
MarianFiles find_marian_files(const std::filesystem::path& directory);

/// Writes the packed int8 model into an existing directory, and shortlist.bin if `files` has a
/// shortlist. `weights` are those of `files`. Throws CheckpointError or DataError naming the file
/// and what is missing, does not match or is not supported.
void import_marian_int8(const MarianBinary& weights, const MarianFiles& files,
                        const std::filesystem::path& directory);

}  // namespace dietmt::interchange
