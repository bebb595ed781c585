// Sampling with tensors. Drawing a token needs the whole distribution, so it happens on the model's
// device.
#pragma once

#include <ATen/core/Tensor.h>

#include <span>
#include <vector>

#include "nmt/search/search_options.h"
#include "nmt/search/search_task.h"
#include "nmt/tensor_decoding/step_scorer.h"

namespace dietmt::nmt {

/// Samples translations token by token from the model's distribution: from all of it, from its
/// `top_k` most probable tokens, or from the smallest set of tokens with probability `top_p`
/// (nucleus, Holtzman et al. 2020), after those with less than `epsilon` (Freitag et al. 2023) are
/// dropped. A temperature below 1 sharpens the distribution, one above 1
/// flattens it. Random numbers are a function of (seed, sentence index, sample, step), so that a
/// sample does not depend on its batch.
///
/// Draws one token per row. log_probs: [rows, V]; uniforms: [rows] in [0, 1). Returns [rows] int64
/// on the CPU.
at::Tensor draw_tokens(const at::Tensor& log_probs, std::span<const double> uniforms,
                       const SearchOptions& options);

/// `scorer` was made for the sentences of `tasks` with options.nbest rows each. Returns
/// options.nbest samples of each task, best score first. Scores do not depend on the temperature.
std::vector<NBest> sample_translations(StepScorer& scorer, std::span<const SearchTask> tasks,
                                       const SpecialTokens& special, const SearchOptions& options);

}  // namespace dietmt::nmt
