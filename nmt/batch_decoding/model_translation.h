// Translates with a model in memory, as validation and the looks into a model do.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "data/text/tokenizer.h"
#include "nmt/network/translation_model.h"
#include "nmt/search/search_options.h"

namespace dietmt::nmt {

/// The best translation of each line, as translate_lines() of a Translator makes them, with as many
/// workers as LibTorch has threads, unless `options` say more.
std::vector<std::string> translate_lines(const TranslationModel& model,
                                         const data::Tokenizer& source_tokenizer,
                                         const data::Tokenizer& target_tokenizer,
                                         std::span<const std::string> lines,
                                         const SearchOptions& options);

}  // namespace dietmt::nmt
