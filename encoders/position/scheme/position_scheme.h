// The position encodings of one stack: parsed from a spec, combined over heads and layers.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "encoders/position/position_encoding.h"

namespace dietmt::encoders {

/// All encodings of one stack: input-level ones in order, then encodings of the scores, each for
/// some of the heads, then what adds to the scores of all heads.
class PositionScheme : public torch::nn::Module {
 public:
  /// Parses `spec` and builds the encodings. Throws ConfigError that points at the offending place
  /// and lists what is possible; a head claimed twice or never is named.
  PositionScheme(const std::string& spec, const EncodingContext& context);

  at::Tensor embed(const at::Tensor& x, const at::Tensor& positions,
                   const at::Tensor& segments = {}) const;

  /// The combined terms of every layer, for all heads: [L]. Tables are on the device of `like`, and
  /// those that are computed have its type (bf16 and half: fp32).
  std::vector<ScoreTerms> lower(const Extent& extent, const at::Tensor& like) const;

  int64_t max_length() const;

  /// The canonical form of the spec: what config.json stores.
  const std::string& spec() const { return spec_; }

 private:
  struct Part {
    std::shared_ptr<PositionEncoding> encoding;
    std::vector<int64_t> heads;  // empty: all
  };

  std::string spec_;
  EncodingContext context_;
  std::vector<Part> parts_;
};

}  // namespace dietmt::encoders
