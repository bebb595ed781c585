// The analysis behind POST /v1/analyze and `dietmt inspect attention`.
#pragma once

#include "nmt/network/model_directory.h"
#include "service/page/analysis.h"

namespace dietmt::inspection {

/// Attention and position terms of one sentence and its translation, each split by its tokenizer.
/// Without a translation in the request, the model translates by beam search with default options.
/// Throws RequestError if a side has more tokens than service::kLargestAnalysis or than the model
/// takes.
service::Analysis analyse_sentence(const nmt::LoadedModel& model,
                                   const service::AnalysisRequest& request);

}  // namespace dietmt::inspection
