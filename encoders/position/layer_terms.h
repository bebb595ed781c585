// Collects the score terms of all layers of a stack from its encodings. A table that layers share
// is computed once and is the same tensor in each of them.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/TensorOptions.h>

#include <cstdint>
#include <vector>

#include "encoders/position/score_terms.h"

namespace dietmt::encoders {

/// `options` are the device and type (fp32 or double) of tables that are computed, not learned.
class LayerTerms {
 public:
  LayerTerms(int64_t layers, double content_scale, const at::TensorOptions& options);

  /// table: [L|1, ...].
  void set(at::Tensor ScoreTerms::*field, const at::Tensor& table);
  void set_content_scale(double scale);
  void set_pairing(RotaryPairing pairing);

  const at::TensorOptions& options() const { return options_; }
  std::vector<ScoreTerms>& layers() { return layers_; }

 private:
  std::vector<ScoreTerms> layers_;
  at::TensorOptions options_;
};

/// The largest distance between a query and a key of `extent`, the C of a table that clips nothing.
int64_t reach(const Extent& extent);

}  // namespace dietmt::encoders
