#include "nmt/batch_decoding/candidates.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace dietmt::nmt {
namespace {

// True if one of kBlock values is above `limit`; written for the vectorizer.
constexpr int64_t kBlock = 64;
bool any_above(const float* values, float limit) {
  int above = 0;
  for (int64_t i = 0; i < kBlock; ++i) above |= values[i] > limit ? 1 : 0;
  return above != 0;
}

// Offers the continuations of one hypothesis. log_probs: [V].
void scan_row(const float* log_probs, int64_t vocabulary, double sum, int32_t beam,
              Selection& best) {
  if (sum == kImpossible) return;
  const auto limit = [&] {
    // One float below the rounded difference, so that no tie is skipped.
    return std::nextafter(static_cast<float>(best.threshold() - sum),
                          -std::numeric_limits<float>::infinity());
  };
  float lowest = limit();
  for (int64_t start = 0; start < vocabulary; start += kBlock) {
    const int64_t size = std::min(kBlock, vocabulary - start);
    if (size == kBlock && !any_above(log_probs + start, lowest)) continue;
    for (int64_t i = start; i < start + size; ++i) {
      if (!(log_probs[i] > lowest)) continue;
      best.offer({sum + log_probs[i], log_probs[i], beam, static_cast<int32_t>(i)});
      lowest = limit();
    }
  }
}

std::vector<Candidate> select_on_cpu(const float* log_probs, std::span<const double> sums,
                                     int64_t vocabulary, int64_t count) {
  Selection best(static_cast<size_t>(count));
  for (size_t k = 0; k < sums.size(); ++k) {
    const float* row = log_probs + static_cast<int64_t>(k) * vocabulary;
    scan_row(row, vocabulary, sums[k], static_cast<int32_t>(k), best);
  }
  return best.sorted();
}

// The same on another device: one topk over all hypotheses of a sentence.
std::vector<std::vector<Candidate>> select_on_device(const at::Tensor& log_probs,
                                                     std::span<const double> sums,
                                                     int64_t sentences, int64_t count) {
  const int64_t vocabulary = log_probs.size(1);
  const at::Tensor base =
      at::tensor(std::vector<double>(sums.begin(), sums.end()), at::kDouble).to(log_probs.device());
  const at::Tensor totals = log_probs + base.to(at::kFloat).unsqueeze(1);
  const auto [values, places] =
      totals.view({sentences, -1}).topk(std::min(count, totals.numel() / sentences), -1);
  const at::Tensor chosen = log_probs.view({sentences, -1}).gather(1, places).cpu();
  const at::Tensor where = places.cpu();
  const int64_t found = where.size(1);
  const int64_t beams = log_probs.size(0) / sentences;
  std::vector<std::vector<Candidate>> all;
  for (int64_t b = 0; b < sentences; ++b) {
    Selection best(static_cast<size_t>(count));
    for (int64_t i = b * found; i < (b + 1) * found; ++i) {
      const int64_t place = where.data_ptr<int64_t>()[i];
      const float log_prob = chosen.data_ptr<float>()[i];
      if (std::isnan(log_prob)) continue;  // topk puts it first
      const int64_t beam = place / vocabulary;
      best.offer({sums[static_cast<size_t>(b * beams + beam)] + log_prob, log_prob,
                  static_cast<int32_t>(beam), static_cast<int32_t>(place % vocabulary)});
    }
    all.push_back(best.sorted());
  }
  return all;
}

}  // namespace

at::Tensor index_of(const std::vector<int64_t>& values, const at::Tensor& log_probs) {
  return at::tensor(values, at::kLong).to(log_probs.device());
}

void RepeatedInRows::add(int64_t row, const RepeatedTokens& repeated) {
  if (!repeated.blocked.empty()) rows.push_back(row);
  blocked_rows.insert(blocked_rows.end(), repeated.blocked.size(), row);
  blocked_tokens.insert(blocked_tokens.end(), repeated.blocked.begin(), repeated.blocked.end());
  penalized_rows.insert(penalized_rows.end(), repeated.penalized.size(), row);
  penalized_tokens.insert(penalized_tokens.end(), repeated.penalized.begin(),
                          repeated.penalized.end());
}

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
  const at::Tensor rows = index_of(forced_rows, log_probs);
  const at::Tensor tokens = index_of(forced_tokens, log_probs);
  const at::Tensor kept = log_probs.index({rows, tokens});  // before the columns are cleared
  for (const int32_t id : {special.unknown, special.begin}) {
    if (id >= 0) log_probs.select(1, id).fill_(kImpossible);
  }
  if (!early_rows.empty())
    log_probs.select(1, special.end).index_fill_(0, index_of(early_rows, log_probs), kImpossible);
  if (forced_rows.empty()) return;
  log_probs.index_fill_(0, rows, kImpossible);
  log_probs.index_put_({rows, tokens}, kept);
}

void constrain(at::Tensor& log_probs, std::span<const SearchTask* const> tasks, int64_t step,
               const SpecialTokens& special, const RepetitionLimits& limits,
               const RepeatedInRows& repeated) {
  if (!limits.any()) return constrain(log_probs, tasks, step, special);
  const at::Tensor ends = log_probs.select(1, special.end).clone();  // [B * K]
  constrain(log_probs, tasks, step, special);
  if (!repeated.penalized_rows.empty()) {
    const at::Tensor rows = index_of(repeated.penalized_rows, log_probs);
    const at::Tensor tokens = index_of(repeated.penalized_tokens, log_probs);
    log_probs.index_put_({rows, tokens}, limits.penalty() * log_probs.index({rows, tokens}));
  }
  if (repeated.rows.empty()) return;
  log_probs.index_put_(
      {index_of(repeated.blocked_rows, log_probs), index_of(repeated.blocked_tokens, log_probs)},
      at::full({}, kImpossible, log_probs.options()));
  const at::Tensor rows = index_of(repeated.rows, log_probs);
  const at::Tensor stuck = rows.masked_select(log_probs.index_select(0, rows).amax(1).isneginf());
  log_probs.select(1, special.end).index_copy_(0, stuck, ends.index_select(0, stuck));
}

std::vector<std::vector<Candidate>> best_candidates(const at::Tensor& log_probs,
                                                    std::span<const double> sums, int64_t sentences,
                                                    int64_t count) {
  if (!log_probs.is_cpu()) return select_on_device(log_probs, sums, sentences, count);
  const at::Tensor rows = log_probs.contiguous();
  const int64_t vocabulary = rows.size(1);
  const auto beams = static_cast<size_t>(rows.size(0) / sentences);
  std::vector<std::vector<Candidate>> all;
  for (size_t b = 0; b < static_cast<size_t>(sentences); ++b) {
    const float* first = rows.data_ptr<float>() + static_cast<int64_t>(b * beams) * vocabulary;
    all.push_back(select_on_cpu(first, sums.subspan(b * beams, beams), vocabulary, count));
  }
  return all;
}

}  // namespace dietmt::nmt
