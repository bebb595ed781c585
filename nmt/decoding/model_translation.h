// Translates with a model in memory, as validation and the looks into a model do.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "data/tokenizer.h"
#include "nmt/decoding/search_options.h"
#include "nmt/model/translation_model.h"

namespace dietmt::nmt {

/// The best translation of each line, as translate_lines() of a Translator makes them, with as many
/// workers as LibTorch has threads, unless `options` say more.
std::vector<std::string> translate_lines(const TranslationModel& model,
                                         const data::Tokenizer& source_tokenizer,
                                         const data::Tokenizer& target_tokenizer,
                                         std::span<const std::string> lines,
                                         const SearchOptions& options);

}  // namespace dietmt::nmt
