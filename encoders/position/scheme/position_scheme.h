// The position encodings of one stack: parsed from a spec, combined over heads and layers.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "encoders/position/parameter_counts.h"
#include "encoders/position/position_encoding.h"

namespace dietmt::encoders {

/// All encodings of one stack: first those of the embeddings, in order; then those that own heads;
/// then those that add to the scores of all heads.
class PositionScheme : public torch::nn::Module {
 public:
  /// Parses `spec` and builds the encodings. Throws ConfigError that names the wrong column and
  /// lists the possibilities, or names a head with two owners or none.
  PositionScheme(const std::string& spec, const EncodingContext& context);

  /// As PositionEncoding has them, of all encodings.
  at::Tensor position_table(int64_t count, const at::TensorOptions& options) const;
  at::Tensor embed(const at::Tensor& x, const at::Tensor& positions, const at::Tensor& segments,
                   int64_t count) const;
  bool embeds_segments() const;

  /// embed() for positions on the CPU.
  at::Tensor embed(const at::Tensor& x, const at::Tensor& positions,
                   const at::Tensor& segments = {}) const;

  /// The terms of every layer, for all heads: [L]. Tables are on the device of `like`; tables that
  /// are computed have its type, or fp32 if that is bf16 or half.
  std::vector<ScoreTerms> lower(const Extent& extent, const at::Tensor& like) const;

  int64_t max_length() const;

  /// As PositionEncoding has them, of all encodings.
  double kept_per_pair() const;
  double products_per_pair() const;

  /// The canonical form of the spec, which config.json stores.
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

/// The parameters of each encoding of PositionScheme(spec, context). Throws ConfigError as that
/// does.
ParameterCounts position_parameters(const std::string& spec, const EncodingContext& context);

}  // namespace dietmt::encoders
