#include "nmt/network/decoder_cache.h"

#include <ATen/ATen.h>

namespace dietmt::nmt {

void DecoderCache::reorder(const at::Tensor& sentence_index, const at::Tensor& row_index) {
  const at::Tensor unchanged = at::arange(sentences, sentence_index.options());
  const bool moves_sentences = !sentence_index.equal(unchanged);
  for (Layer& layer : layers) {
    // Only the filled part is copied.
    for (at::Tensor* self : {&layer.self_keys, &layer.self_values}) {
      const at::Tensor filled = self->narrow(2, 0, position).index_select(0, row_index);
      if (moves_sentences) *self = self->narrow(0, 0, row_index.size(0));
      self->narrow(2, 0, position).copy_(filled);
    }
    if (!moves_sentences) continue;
    layer.cross_keys = layer.cross_keys.index_select(0, sentence_index);
    layer.cross_values = layer.cross_values.index_select(0, sentence_index);
  }
  if (moves_sentences && source_mask.defined())
    source_mask = source_mask.index_select(0, sentence_index);
  sentences = sentence_index.size(0);
}

}  // namespace dietmt::nmt
