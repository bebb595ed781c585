#include "encoders/position/position_encoding.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstdint>

#include "common/error.h"
#include "encoders/position/table_cache.h"

namespace dietmt::encoders {
namespace {

std::vector<int64_t> table_sizes(Sharing sharing, const EncodingContext& context,
                                 at::IntArrayRef rows) {
  const bool one_layer = sharing == Sharing::kLayers || sharing == Sharing::kAll;
  const bool one_head = sharing == Sharing::kHeads || sharing == Sharing::kAll;
  std::vector<int64_t> sizes = {one_layer ? 1 : context.layers, one_head ? 1 : context.heads};
  sizes.insert(sizes.end(), rows.begin(), rows.end());
  return sizes;
}

}  // namespace

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

at::TensorOptions table_options(const at::Tensor& like) {
  const at::ScalarType type = like.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  return like.options().dtype(type).requires_grad(false);
}

int64_t reach(const Extent& extent) { return std::max(extent.queries, extent.keys) - 1; }

at::Tensor PositionEncoding::position_table(int64_t, const at::TensorOptions&) const { return {}; }

at::Tensor PositionEncoding::embed(const at::Tensor& x, const at::Tensor& positions,
                                   const at::Tensor&, int64_t count) const {
  const at::Tensor table = position_table(count, table_options(x));
  return table.defined() ? x + table_rows(table, positions).to(x.scalar_type()) : x;
}

void PositionEncoding::lower(const Extent&, LayerTerms&) const {}

int64_t PositionEncoding::max_length() const { return INT64_MAX; }

void PositionEncoding::require_position(const char* name, int64_t last) const {
  if (last >= max_length())
    throw Error("position encoding '" + std::string(name) + "' has no position " +
                std::to_string(last) + ": it was built for sentences of up to " +
                std::to_string(max_length()) + " tokens");
}

at::Tensor empty_table(Sharing sharing, const EncodingContext& context, at::IntArrayRef rows) {
  return at::empty(table_sizes(sharing, context, rows));
}

double table_size(Sharing sharing, const EncodingContext& context, at::IntArrayRef rows) {
  double size = 1.0;
  for (const int64_t extent : table_sizes(sharing, context, rows))
    size *= static_cast<double>(extent);
  return size;
}

at::Tensor positive(const at::Tensor& x, double smallest) {
  const at::Tensor size = at::where(x < 0, -x, x);  // abs() has no gradient at zero
  return size + (smallest - size.detach()).clamp_min(0.0);
}

}  // namespace dietmt::encoders
