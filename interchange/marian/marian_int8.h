// Marian's models with int8 weights, as Firefox translates with (Bogoychev et al. 2021: intgemm8
// with the multipliers of activations, "alphas"): they stay as they are, nothing is rounded again.
#pragma once

#include <filesystem>

#include "interchange/marian/marian_binary.h"
#include "interchange/marian/marian_tokenizer.h"

namespace dietmt::interchange {

/// The files of a directory of Firefox: `model*.bin`, `vocab*.spm` or `srcvocab*.spm` and
/// `trgvocab*.spm`, and `lex*.bin` if there is one. Throws DataError naming the directory and what
/// is missing or there twice.
MarianFiles find_marian_files(const std::filesystem::path& directory);

/// Writes the packed int8 model into `directory`, which must exist, and shortlist.bin if `files`
/// has one. `weights` are those of `files`. Throws CheckpointError or DataError naming the file and
/// what is missing, does not fit, or is not known here.
void import_marian_int8(const MarianBinary& weights, const MarianFiles& files,
                        const std::filesystem::path& directory);

}  // namespace dietmt::interchange
