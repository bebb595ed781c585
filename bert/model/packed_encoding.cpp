#include "bert/model/packed_encoding.h"

#include <ATen/ATen.h>

#include "encoders/attention/batch_tensors.h"

namespace dietmt::bert {

PackedStates encode_packed(const encoders::Bert& model, const data::PackedTokens& tokens,
                           const std::vector<int32_t>& segments, at::Device device,
                           encoders::DropoutKeys* dropout) {
  encoders::Packing packing = encoders::packing_of(tokens, device);
  if (model.config().segments > 1) packing.set_segments(encoders::ids_of(segments, device));
  const at::Tensor hidden =
      model.encoder().forward(encoders::ids_of(tokens.tokens, device), packing, dropout);
  return {hidden, std::move(packing)};
}

}  // namespace dietmt::bert
