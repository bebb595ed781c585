#include "nmt/batch_decoding/constraints.h"

#include <ATen/ATen.h>

#include <limits>

namespace dietmt::nmt {

void constrain(at::Tensor& log_probs, std::span<const SearchTask* const> tasks, int64_t step,
               const SpecialTokens& special) {
  const int64_t beams = log_probs.size(0) / static_cast<int64_t>(tasks.size());
  std::vector<int64_t> forced_rows, forced_tokens, early_rows;
  for (size_t b = 0; b < tasks.size(); ++b) {
    const int64_t token = tasks[b]->forced_token(step, special);
    const bool early = step < tasks[b]->min_length;
    for (int64_t k = 0; k < beams; ++k) {
      const int64_t row = static_cast<int64_t>(b) * beams + k;
      if (token >= 0) {
        forced_rows.push_back(row);
        forced_tokens.push_back(token);
      } else if (early) {
        early_rows.push_back(row);
      }
    }
  }
  const auto index = [&](const std::vector<int64_t>& values) {
    return at::tensor(values, at::kLong).to(log_probs.device());
  };
  const at::Tensor rows = index(forced_rows);
  const at::Tensor tokens = index(forced_tokens);
  const at::Tensor kept = log_probs.index({rows, tokens});  // before the columns are cleared
  for (const int32_t id : {special.unknown, special.begin}) {
    if (id >= 0) log_probs.select(1, id).fill_(kImpossible);
  }
  if (!early_rows.empty())
    log_probs.select(1, special.end).index_fill_(0, index(early_rows), kImpossible);
  if (forced_rows.empty()) return;
  log_probs.index_fill_(0, rows, kImpossible);
  log_probs.index_put_({rows, tokens}, kept);
}

}  // namespace dietmt::nmt
