#include "nmt/tensor_decoding/sampling.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>

#include "nmt/search/beam.h"
#include "nmt/search/token_limits.h"
#include "nmt/tensor_decoding/token_places.h"

namespace dietmt::nmt {
namespace {

using at::Tensor;

// Inverts the distribution function of each row. weights: [rows, n] double, not normalized;
// uniforms: [rows]. Returns the columns, [rows].
Tensor invert(const Tensor& weights, const Tensor& uniforms) {
  const Tensor sums = weights.cumsum(-1);
  // 1 - u is in (0, 1], so the first column that reaches it never has weight zero.
  const Tensor wanted = sums.narrow(1, sums.size(1) - 1, 1) * (1.0 - uniforms).unsqueeze(1);
  return at::searchsorted(sums, wanted).squeeze(1);
}

// Zeroes the weights after the nucleus. The columns are sorted, largest weight first.
Tensor nucleus(const Tensor& weights, double top_p) {
  const Tensor before = weights.cumsum(-1) - weights;
  return weights.masked_fill(before >= top_p, 0.0);
}

// In double, since a float overflows at low temperatures.
Tensor cooled(const Tensor& log_probs, const SearchOptions& options) {
  return log_probs.to(at::kDouble) / options.temperature;
}

// The best token stays, however improbable it is.
Tensor without_improbable(const Tensor& log_probs, const SearchOptions& options) {
  if (options.epsilon == 0.0) return log_probs;
  const Tensor probable = at::softmax(cooled(log_probs, options), -1) >= options.epsilon;
  const Tensor best = log_probs == log_probs.amax(-1, /*keepdim=*/true);
  return log_probs.masked_fill(probable.logical_or(best).logical_not(), kImpossible);
}

Tensor draw_top_k(const Tensor& log_probs, const Tensor& uniforms, const SearchOptions& options) {
  const auto [values, tokens] = log_probs.topk(std::min(options.top_k, log_probs.size(1)), -1);
  const Tensor weights = nucleus(at::softmax(cooled(values, options), -1), options.top_p);
  return tokens.gather(1, invert(weights, uniforms).unsqueeze(1)).squeeze(1);
}

// Tries a few tokens first, and more in rows in which these do not reach top_p.
Tensor draw_top_p(const Tensor& log_probs, const Tensor& uniforms, const SearchOptions& options) {
  constexpr int64_t kFirst = 64;
  constexpr int64_t kGrowth = 8;
  const Tensor total = cooled(log_probs, options).logsumexp(-1, true);  // [rows, 1]
  Tensor drawn = at::empty_like(uniforms, at::kLong);
  Tensor rows = at::arange(log_probs.size(0), drawn.options());
  for (int64_t count = kFirst; rows.numel() > 0; count *= kGrowth) {
    const int64_t columns = std::min(count, log_probs.size(1));
    const auto [values, tokens] = log_probs.index_select(0, rows).topk(columns, -1);
    const Tensor weights = (cooled(values, options) - total.index_select(0, rows)).exp();
    const Tensor chosen =
        invert(nucleus(weights, options.top_p), uniforms.index_select(0, rows)).unsqueeze(1);
    const Tensor enough = weights.sum(-1) >= options.top_p;
    const Tensor ready = columns < log_probs.size(1) ? enough : at::ones_like(enough);
    drawn.index_copy_(0, rows.masked_select(ready),
                      tokens.gather(1, chosen).squeeze(1).masked_select(ready));
    rows = rows.masked_select(ready.logical_not());
  }
  return drawn;
}

// Effects of a step's rules on log-probabilities: [rows, V].
struct StepRules {
  explicit StepRules(int64_t vocabulary) : forbidden(vocabulary), penalized(vocabulary) {}

  // A row without any other token may end before its minimum length.
  void apply(Tensor& log_probs, const TokenLimits& limits, int32_t end) const {
    const Tensor ends = log_probs.select(1, end);
    const Tensor before = ends.clone();
    penalized.multiply(log_probs, limits.penalty());
    forbidden.fill(log_probs, kImpossible);
    if (limits.any()) ends.copy_(at::where(log_probs.amax(1).isneginf(), before, ends));
  }

  TokenPlaces forbidden, penalized;
};

}  // namespace

Tensor draw_tokens(const Tensor& all, std::span<const double> uniforms,
                   const SearchOptions& options) {
  const Tensor log_probs = without_improbable(all, options);
  const Tensor u = at::tensor(std::vector<double>(uniforms.begin(), uniforms.end()), at::kDouble)
                       .to(log_probs.device());
  if (options.top_k > 0) return draw_top_k(log_probs, u, options).cpu();
  if (options.top_p < 1.0) return draw_top_p(log_probs, u, options).cpu();
  return invert(at::softmax(cooled(log_probs, options), -1), u).cpu();
}

std::vector<NBest> sample_translations(StepScorer& scorer, std::span<const SearchTask> tasks,
                                       const SpecialTokens& special, const SearchOptions& options) {
  const int64_t count = options.nbest;
  const TokenLimits limits(options, special);
  std::vector<Samples> samples;
  for (const SearchTask& task : tasks) samples.emplace_back(task, special, options);
  std::vector<size_t> open(tasks.size());
  for (size_t i = 0; i < open.size(); ++i) open[i] = i;
  Tensor tokens = at::full({static_cast<int64_t>(open.size()) * count}, special.begin, at::kLong);

  for (int64_t step = 0; !open.empty(); ++step) {
    Tensor log_probs = scorer.step(tokens);  // [B * n, V]
    StepRules rules(log_probs.size(1));
    std::vector<double> uniforms;
    std::vector<int32_t> forced;  // or -1
    for (const size_t i : open) {
      const int32_t token = tasks[i].forced_token(step, special);
      for (int64_t k = 0; k < count; ++k) {
        const int64_t row = std::ssize(uniforms);
        uniforms.push_back(samples[i].uniform(k, step));
        forced.push_back(token);
        if (token >= 0) continue;
        rules.forbidden.add(row, std::array{special.unknown, special.begin,
                                            step < tasks[i].min_length ? special.end : -1});
        if (!limits.any() || samples[i].ended(k)) continue;
        const LimitedTokens limited = limits.after(samples[i].tokens(k));
        rules.forbidden.add(row, limited.blocked);
        rules.penalized.add(row, limited.penalized);
      }
    }
    rules.apply(log_probs, limits, special.end);
    tokens = draw_tokens(log_probs, uniforms, options);
    for (size_t row = 0; row < forced.size(); ++row)
      if (forced[row] >= 0) tokens.data_ptr<int64_t>()[row] = forced[row];
    const Tensor chosen =
        log_probs.gather(1, tokens.to(log_probs.device()).unsqueeze(1)).squeeze(1).cpu();

    std::vector<size_t> still_open;
    std::vector<int64_t> sentence_index, row_index;
    for (size_t b = 0; b < open.size(); ++b) {
      const auto first = static_cast<int64_t>(b) * count;
      for (int64_t k = 0; k < count; ++k)
        samples[open[b]].append(k, static_cast<int32_t>(tokens.data_ptr<int64_t>()[first + k]),
                                chosen.data_ptr<float>()[first + k]);
      if (samples[open[b]].all_ended()) continue;
      still_open.push_back(open[b]);
      sentence_index.push_back(static_cast<int64_t>(b));
      for (int64_t k = 0; k < count; ++k) row_index.push_back(first + k);
    }
    if (still_open.size() < open.size() && !still_open.empty()) {
      const Tensor rows = at::tensor(row_index, at::kLong);
      scorer.reorder(at::tensor(sentence_index, at::kLong), rows);
      tokens = tokens.index_select(0, rows);
    }
    open = std::move(still_open);
  }
  std::vector<NBest> results;
  for (Samples& sample : samples) results.push_back(std::move(sample).ranked());
  return results;
}

}  // namespace dietmt::nmt
