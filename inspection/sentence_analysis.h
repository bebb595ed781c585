// What POST /v1/analyze and `dietmt inspect attention` show of a model.
#pragma once

#include "nmt/network/model_directory.h"
#include "service/page/analysis.h"

namespace dietmt::inspection {

/// Attention and position scores of one sentence and its translation, each split by its tokenizer;
/// where the request has no translation, the model's own by beam search with default options.
/// Throws RequestError if a side has more tokens than service::kLargestAnalysis or than the model
/// takes.
service::Analysis analyse_sentence(const nmt::LoadedModel& model,
                                   const service::AnalysisRequest& request);

}  // namespace dietmt::inspection
