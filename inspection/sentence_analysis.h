// The analysis of POST /v1/analyze and `dietmt inspect attention`.
#pragma once

#include <cstdint>
#include <string>

#include "nmt/network/model_directory.h"
#include "reporting/sentence_analysis.h"

namespace dietmt::inspection {

/// Tokens per side, limited by the size of the page and the cost of a request.
constexpr int64_t kLargestAnalysis = 128;

/// Attention and position terms of a sentence and its translation, each split by its tokenizer. An
/// empty translation means the model's own, by beam search with default options.
/// `languages`: as in nmt::LineOptions; throws DataError as nmt::LineCoder does. Throws
/// RequestError if a side has more tokens than kLargestAnalysis or than the model takes.
reporting::SentenceAnalysis analyse_sentence(const nmt::LoadedModel& model, const std::string& text,
                                             std::string translation,
                                             const nmt::LanguageChoice& languages = {});

}  // namespace dietmt::inspection
