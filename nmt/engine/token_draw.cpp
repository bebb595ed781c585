#include "nmt/engine/token_draw.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "common/error.h"
#include "kernels/rowwise.h"

namespace dietmt::nmt {
namespace {

constexpr size_t kLanes = 16;  // independent sums, which compilers turn into vectors

float highest(std::span<const float> scores) {
  std::array<float, kLanes> most;
  most.fill(-std::numeric_limits<float>::infinity());
  size_t i = 0;
  for (; i + kLanes <= scores.size(); i += kLanes)
    for (size_t lane = 0; lane < kLanes; ++lane)
      most[lane] = scores[i + lane] > most[lane] ? scores[i + lane] : most[lane];
  for (; i < scores.size(); ++i) most[0] = std::max(most[0], scores[i]);
  return *std::max_element(most.begin(), most.end());
}

double sum_of(std::span<const float> weights) {
  std::array<double, kLanes> sums{};
  size_t i = 0;
  for (; i + kLanes <= weights.size(); i += kLanes)
    for (size_t lane = 0; lane < kLanes; ++lane) sums[lane] += weights[i + lane];
  for (; i < weights.size(); ++i) sums[0] += weights[i];
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

// The first place at which the running sum of the weights reaches 1 - u of their total. Since 1 - u
// is above 0, and no less than 1e-16, it is none of a forbidden token, whose weight is at most
// 1e-38.
size_t invert(std::span<const float> weights, double uniform) {
  constexpr size_t kBlock = 256;
  const double wanted = sum_of(weights) * (1.0 - uniform);
  double sum = 0.0;
  size_t last = 0;  // with a weight, in the last block that has one
  for (size_t begin = 0; begin < weights.size(); begin += kBlock) {
    const auto block = weights.subspan(begin, std::min(kBlock, weights.size() - begin));
    const double of_block = sum_of(block);
    if (sum + of_block < wanted && begin + kBlock < weights.size()) {
      sum += of_block;
      continue;
    }
    for (size_t i = 0; i < block.size(); ++i) {
      sum += block[i];
      if (sum >= wanted) return begin + i;
      if (block[i] > 1e-37F) last = begin + i;
    }
  }
  return last;  // the sums were rounded otherwise
}

}  // namespace

std::vector<float>& TokenDraw::scores(int64_t vocabulary) {
  scores_.resize(static_cast<size_t>(vocabulary));
  return scores_;
}

int32_t TokenDraw::draw(double uniform, const SearchOptions& options) {
  weigh(options.temperature);
  if (options.epsilon > 0.0) drop_improbable(options.epsilon);
  if (options.top_k > 0) return draw_top_k(uniform, options);
  if (options.top_p < 1.0) return draw_top_p(uniform, options);
  return static_cast<int32_t>(invert(weights_, uniform));
}

// exp((score - highest) / temperature). At least one of them is 1.
void TokenDraw::weigh(double temperature) {
  const float best = highest(scores_);
  if (!std::isfinite(best)) throw DataError("no token has a finite score to be drawn by");
  weights_.assign(scores_.size(), 0.0F);
  const auto size = std::ssize(scores_);
  if (temperature == 1.0)
    return kernels::row_kernels().add_probabilities(scores_.data(), size, best, weights_.data());
  cooled_.resize(scores_.size());
  for (size_t i = 0; i < scores_.size(); ++i)
    cooled_[i] = static_cast<float>((scores_[i] - best) / temperature);
  kernels::row_kernels().add_probabilities(cooled_.data(), size, 0.0F, weights_.data());
}

// The best token stays, however improbable it is.
void TokenDraw::drop_improbable(double epsilon) {
  const double least = epsilon * sum_of(weights_);
  const float best = highest(scores_);
  for (size_t i = 0; i < weights_.size(); ++i)
    if (weights_[i] < least && scores_[i] < best) weights_[i] = 0.0F;
}

int32_t TokenDraw::draw_top_k(double uniform, const SearchOptions& options) {
  const auto count = std::min(static_cast<size_t>(options.top_k), scores_.size());
  sort_first(count);
  double total = 0.0;
  for (size_t i = 0; i < count; ++i) total += weights_[static_cast<size_t>(order_[i])];
  take_first(count, options.top_p, total);
  return order_[invert(nucleus_, uniform)];
}

// Looks at a few tokens first, and at more if these do not reach top_p.
int32_t TokenDraw::draw_top_p(double uniform, const SearchOptions& options) {
  constexpr size_t kFirst = 64;
  constexpr size_t kGrowth = 8;
  const double total = sum_of(weights_);
  for (size_t count = std::min(kFirst, scores_.size());;
       count = std::min(kGrowth * count, scores_.size())) {
    sort_first(count);
    double reached = 0.0;
    for (size_t i = 0; i < count; ++i) reached += weights_[static_cast<size_t>(order_[i])];
    if (reached < options.top_p * total && count < scores_.size()) continue;
    take_first(count, options.top_p, total);
    return order_[invert(nucleus_, uniform)];
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

// The weights of the first tokens of order_, until they reach top_p of the total.
void TokenDraw::take_first(size_t count, double top_p, double total) {
  nucleus_.clear();
  double before = 0.0;
  for (size_t i = 0; i < count && before < top_p * total; ++i) {
    nucleus_.push_back(weights_[static_cast<size_t>(order_[i])]);
    before += nucleus_.back();
  }
}

}  // namespace dietmt::nmt
