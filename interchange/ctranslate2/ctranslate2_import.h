// Imports encoder-decoder Transformers of CTranslate2: directories with model.bin (revisions 1 to 8
// of TransformerSpec, and the older TransformerBase and TransformerBig), and the packages of Argos
// Translate, which hold one.
#pragma once

#include <filesystem>
#include <vector>

#include "nmt/network/model_directory.h"

namespace dietmt::interchange {

/// `path`: what is_ctranslate2() in interchange/foreign_model.h finds. Weights of all types become
/// fp32; `dietmt quantize` makes the same integers of int8 weights. `pieces`: sentencepiece models
/// of source and target, or one for both, in place of the package's. Throws CheckpointError or
/// DataError naming the file and what is missing or not supported.
nmt::LoadedModel import_ctranslate2(const std::filesystem::path& path,
                                    const std::vector<std::filesystem::path>& pieces);

}  // namespace dietmt::interchange
