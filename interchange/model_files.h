// The files in the directory of another program's model: its checkpoint, and what splits text into
// its pieces.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "interchange/imported_vocabulary.h"

namespace dietmt::interchange {

/// The first of these files that the directory has; empty: none.
std::filesystem::path first_file(const std::filesystem::path& directory,
                                 const std::vector<std::string>& names);

/// The only file with this extension, such as ".pt". Throws CheckpointError naming the directory if
/// there is none or several. `program`: whose checkpoint it is.
std::filesystem::path only_checkpoint(const std::filesystem::path& directory,
                                      const std::string& extension, const std::string& program);

/// A sentencepiece model, or the merges of subword-nmt or fastBPE. Throws Error if it cannot be
/// read.
Splitter read_splitter(const std::filesystem::path& file);

/// The splitter of a side, 0 for the source and 1 for the target: the file that `given` has for it,
/// or else the first in the directory that has one of the names `own`, the usual name of a
/// sentencepiece model (sentencepiece.bpe.model, sentencepiece.model, spm.model), or that of merges
/// (bpecodes, bpe.codes, codes, code). Without any, words are the pieces.
Splitter find_splitter(const std::filesystem::path& directory,
                       const std::vector<std::filesystem::path>& given, size_t side,
                       const std::vector<std::string>& own = {});

}  // namespace dietmt::interchange
