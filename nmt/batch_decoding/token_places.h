// Tokens of some rows of log-probabilities, as an index into a tensor on any device.
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
  /// Leaves out tokens below 0.
  void add(int64_t row, std::span<const int32_t> tokens) {
    for (const int32_t token : tokens) {
      if (token < 0) continue;
      rows_.push_back(row);
      tokens_.push_back(token);
    }
  }

  /// log_probs: [rows, V]. Returns [tokens].
  at::Tensor of(const at::Tensor& log_probs) const {
    return log_probs.index({on(rows_, log_probs), on(tokens_, log_probs)});
  }

  void put(at::Tensor& log_probs, const at::Tensor& values) const {
    if (!rows_.empty())
      log_probs.index_put_({on(rows_, log_probs), on(tokens_, log_probs)}, values);
  }

  void fill(at::Tensor& log_probs, double value) const {
    put(log_probs, at::full({}, value, log_probs.options()));
  }

 private:
  static at::Tensor on(const std::vector<int64_t>& values, const at::Tensor& log_probs) {
    return at::tensor(values, at::kLong).to(log_probs.device());
  }

  std::vector<int64_t> rows_, tokens_;
};

}  // namespace dietmt::nmt
