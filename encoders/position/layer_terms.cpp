#include "encoders/position/layer_terms.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace dietmt::encoders {

LayerTerms::LayerTerms(int64_t layers, double content_scale, const at::TensorOptions& options)
    : layers_(static_cast<size_t>(layers)), options_(options) {
  set_content_scale(content_scale);
}

void LayerTerms::set(at::Tensor ScoreTerms::*field, const at::Tensor& table) {
  // One unbind: its gradient is one stack, where each select would fill a tensor of zeros.
  const std::vector<at::Tensor> rows = table.unbind(0);
  for (size_t l = 0; l < layers_.size(); ++l)
    layers_[l].*field = rows[std::min(l, rows.size() - 1)];
}

void LayerTerms::set_content_scale(double scale) {
  for (ScoreTerms& terms : layers_) terms.content_scale = {scale};
}

void LayerTerms::set_pairing(RotaryPairing pairing) {
  for (ScoreTerms& terms : layers_) terms.pairing = {pairing};
}

int64_t reach(const Extent& extent) {
  return std::max(extent.query_start + extent.queries, extent.keys) - 1;
}

}  // namespace dietmt::encoders
