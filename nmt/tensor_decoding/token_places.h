// Tokens of some rows of log-probabilities [rows, V], as an index into a tensor on any device.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace dietmt::nmt {

/// The log-probability of a token that cannot follow.
inline constexpr float kImpossible = -std::numeric_limits<float>::infinity();

class TokenPlaces {
 public:
  explicit TokenPlaces(int64_t vocabulary) : vocabulary_(vocabulary) {}

  /// Skips tokens below 0.
  void add(int64_t row, std::span<const int32_t> tokens) {
    for (const int32_t token : tokens)
      if (token >= 0) places_.push_back(row * vocabulary_ + token);
  }

  /// Their log-probabilities, copied to the host.
  std::vector<float> read(const at::Tensor& log_probs) const {
    if (places_.empty()) return {};
    const at::Tensor found = log_probs.view(-1).index_select(0, on(log_probs)).cpu();
    const float* const values = found.const_data_ptr<float>();
    return {values, values + found.numel()};
  }

  void multiply(at::Tensor& log_probs, double factor) const {
    if (places_.empty()) return;
    const at::Tensor all = log_probs.view(-1), places = on(log_probs);
    all.index_copy_(0, places, factor * all.index_select(0, places));
  }

  void fill(at::Tensor& log_probs, double value) const {
    if (!places_.empty()) log_probs.view(-1).index_fill_(0, on(log_probs), value);
  }

 private:
  at::Tensor on(const at::Tensor& log_probs) const {
    return at::tensor(places_, at::kLong).to(log_probs.device());
  }

  int64_t vocabulary_;
  std::vector<int64_t> places_;
};

}  // namespace dietmt::nmt
