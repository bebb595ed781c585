#include "nmt/engine/token_draw.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/error.h"

namespace dietmt::nmt {

std::vector<float>& TokenDraw::scores(int64_t vocabulary) {
  scores_.resize(static_cast<size_t>(vocabulary));
  return scores_;
}

int32_t TokenDraw::draw(double uniform, const SearchOptions& options) {
  if (options.top_k > 0) return draw_top_k(uniform, options);
  if (options.top_p < 1.0) return draw_top_p(uniform, options);
  const double maximum = highest();
  weights_.clear();
  for (const float score : scores_)
    weights_.push_back(std::exp((score - maximum) / options.temperature));
  return static_cast<int32_t>(invert(uniform));
}

int32_t TokenDraw::draw_top_k(double uniform, const SearchOptions& options) {
  const double maximum = highest();
  const auto count = std::min(static_cast<size_t>(options.top_k), scores_.size());
  sort_first(count);
  weights_.clear();
  for (size_t i = 0; i < count; ++i)
    weights_.push_back(
        std::exp((scores_[static_cast<size_t>(order_[i])] - maximum) / options.temperature));
  const double total = std::accumulate(weights_.begin(), weights_.end(), 0.0);
  for (double& weight : weights_) weight /= total;
  cut_behind(options.top_p);
  return order_[invert(uniform)];
}

// Looks at a few tokens first, and at more if these do not reach top_p.
int32_t TokenDraw::draw_top_p(double uniform, const SearchOptions& options) {
  constexpr size_t kFirst = 64;
  constexpr size_t kGrowth = 8;
  const double maximum = highest();
  const auto weight = [&](float score) {
    return std::exp((score - maximum) / options.temperature);
  };
  double total = 0.0;
  for (const float score : scores_) total += weight(score);
  for (size_t count = std::min(kFirst, scores_.size());;
       count = std::min(kGrowth * count, scores_.size())) {
    sort_first(count);
    weights_.clear();
    for (size_t i = 0; i < count; ++i)
      weights_.push_back(weight(scores_[static_cast<size_t>(order_[i])]) / total);
    const double reached = std::accumulate(weights_.begin(), weights_.end(), 0.0);
    if (reached < options.top_p && count < scores_.size()) continue;
    cut_behind(options.top_p);
    return order_[invert(uniform)];
  }
}

// Weights are relative to the highest score, so that at least one of them is not zero.
double TokenDraw::highest() const {
  const double maximum = *std::max_element(scores_.begin(), scores_.end());
  if (!std::isfinite(maximum)) throw DataError("no token has a finite score to be drawn by");
  return maximum;
}

void TokenDraw::sort_first(size_t count) {
  order_.resize(scores_.size());
  std::iota(order_.begin(), order_.end(), 0);
  std::partial_sort(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(count),
                    order_.end(), [&](int32_t a, int32_t b) {
                      const float x = scores_[static_cast<size_t>(a)];
                      const float y = scores_[static_cast<size_t>(b)];
                      return x != y ? x > y : a < b;
                    });
}

// Sets the weights after the nucleus to zero.
void TokenDraw::cut_behind(double top_p) {
  double before = 0.0;
  for (double& weight : weights_) {
    const double own = weight;
    if (before >= top_p) weight = 0.0;
    before += own;
  }
}

// 1 - u is in (0, 1], so the first place that reaches it never has weight zero.
size_t TokenDraw::invert(double uniform) const {
  const double total = std::accumulate(weights_.begin(), weights_.end(), 0.0);
  const double wanted = total * (1.0 - uniform);
  double sum = 0.0;
  for (size_t i = 0; i < weights_.size(); ++i) {
    sum += weights_[i];
    if (sum >= wanted) return i;
  }
  return weights_.size() - 1;
}

}  // namespace dietmt::nmt
