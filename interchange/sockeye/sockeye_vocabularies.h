// The vocabularies of Sockeye's models. Their text was cut into pieces before Sockeye read it, so
// no file of a model says by what.
#pragma once

#include <filesystem>
#include <vector>

#include "interchange/imported_vocabulary.h"

namespace dietmt::interchange {

/// The vocabulary of a side, 0 for the source (vocab.src.0.json) and 1 for the target
/// (vocab.trg.0.json). `given`: one or two files that cut text; none: source.spm or target.spm in
/// `directory`, or what find_splitter() finds there. Throws CheckpointError or DataError naming the
/// file, also if pieces are parts of words and nothing cuts text.
ImportedVocabulary read_sockeye_vocabulary(const std::filesystem::path& directory,
                                           const std::vector<std::filesystem::path>& given,
                                           size_t side);

}  // namespace dietmt::interchange
