// Writes a sentencepiece model with BERT's special pieces as a tokenizer for Hugging Face's
// AutoTokenizer.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "data/text/bert_tokenizer.h"

namespace dietmt::interchange {

/// Writes tokenizer.json and tokenizer_config.json. `model`: the bytes of the sentencepiece model.
void write_tokenizer_json(const std::filesystem::path& directory, std::string_view model,
                          const data::SpecialPieces& special, int64_t max_length);

}  // namespace dietmt::interchange
