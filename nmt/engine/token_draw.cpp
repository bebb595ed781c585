#include "nmt/engine/token_draw.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace dietmt::nmt {

std::vector<float>& TokenDraw::scores(int64_t vocabulary) {
  scores_.resize(static_cast<size_t>(vocabulary));
  return scores_;
}

int32_t TokenDraw::draw(double uniform, const SearchOptions& options) {
  if (options.top_k > 0) return draw_top_k(uniform, options);
  if (options.top_p < 1.0) return draw_top_p(uniform, options.top_p);
  const double maximum = *std::max_element(scores_.begin(), scores_.end());
  weights_.clear();
  for (const float score : scores_) weights_.push_back(std::exp(score - maximum));
  return static_cast<int32_t>(invert(uniform));
}

int32_t TokenDraw::draw_top_k(double uniform, const SearchOptions& options) {
  const auto count = std::min(static_cast<size_t>(options.top_k), scores_.size());
  sort_first(count);
  weights_.clear();
  const double maximum = scores_[static_cast<size_t>(order_.front())];
  for (size_t i = 0; i < count; ++i)
    weights_.push_back(std::exp(scores_[static_cast<size_t>(order_[i])] - maximum));
  const double total = std::accumulate(weights_.begin(), weights_.end(), 0.0);
  for (double& weight : weights_) weight /= total;
  cut_behind(options.top_p);
  return order_[invert(uniform)];
}

// Looks at few tokens first, at more where these do not reach top_p.
int32_t TokenDraw::draw_top_p(double uniform, double top_p) {
  constexpr size_t kFirst = 64;
  constexpr size_t kGrowth = 8;
  const double maximum = *std::max_element(scores_.begin(), scores_.end());
  double total = 0.0;
  for (const float score : scores_) total += std::exp(score - maximum);
  for (size_t count = std::min(kFirst, scores_.size());;
       count = std::min(kGrowth * count, scores_.size())) {
    sort_first(count);
    weights_.clear();
    for (size_t i = 0; i < count; ++i)
      weights_.push_back(std::exp(scores_[static_cast<size_t>(order_[i])] - maximum) / total);
    const double reached = std::accumulate(weights_.begin(), weights_.end(), 0.0);
    if (reached < top_p && count < scores_.size()) continue;
    cut_behind(top_p);
    return order_[invert(uniform)];
  }
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

// Zeros behind the nucleus.
void TokenDraw::cut_behind(double top_p) {
  double before = 0.0;
  for (double& weight : weights_) {
    const double own = weight;
    if (before >= top_p) weight = 0.0;
    before += own;
  }
}

// 1 - u is in (0, 1]: the first place that reaches it never has weight zero.
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
