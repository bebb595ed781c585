// Reads the vocabularies of Marian's models as tokenizers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "data/text/tokenizer.h"
#include "nmt/model/config.h"

namespace dietmt::interchange {

/// The files of a Marian model. A single vocabulary or sentencepiece model serves both languages.
struct MarianFiles {
  std::filesystem::path weights;                    // .npz or .bin
  std::vector<std::filesystem::path> vocabularies;  // .spm, or .yml, which numbers `pieces`
  std::vector<std::filesystem::path> pieces;        // .spm for .yml vocabularies
  std::filesystem::path shortlist = {};             // lex.s2t.bin for int8 weights; empty: none
};

/// Throws DataError naming the file of the weights if the model has one embedding for two
/// vocabularies.
void check_vocabularies(const MarianFiles& files, const nmt::ModelConfig& config,
                        const data::Tokenizer& source, const data::Tokenizer& target);

/// The tokenizer of side 0 (source) or 1 (target), with a piece for begin of sentence after the
/// model's `size` pieces; some may be unused. Throws DataError or ConfigError naming the
/// file or what is missing.
std::shared_ptr<const data::Tokenizer> marian_tokenizer(const MarianFiles& files, size_t side,
                                                        int64_t size);

}  // namespace dietmt::interchange
