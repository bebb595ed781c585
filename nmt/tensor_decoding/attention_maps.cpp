#include "nmt/tensor_decoding/attention_maps.h"

#include <ATen/ATen.h>
#include <torch/types.h>

#include <algorithm>

#include "encoders/analysis/position_scores.h"
#include "encoders/attention/attention.h"
#include "encoders/attention/packing.h"
#include "encoders/transformer/stacks.h"
#include "nmt/network/translation_model.h"

namespace dietmt::nmt {
namespace {

using at::Tensor;
using encoders::AttentionRecorder;
using Maps = std::vector<Tensor>;

Maps unless_compressed(Maps maps) {
  const bool whole =
      std::all_of(maps.begin(), maps.end(), [](const Tensor& map) { return map.defined(); });
  return whole ? std::move(maps) : Maps();
}

template <typename Stack>
Maps position_maps(const TranslationModel& model, const Stack& stack, bool causal, size_t length) {
  const ModelConfig& config = model.config();
  encoders::InspectedStack inspected{stack, stack.position(), config.heads, config.width};
  if (config.norm == "pre") inspected.norm = encoders::NormPlacement::kPre;
  inspected.causal = causal;
  Maps maps = unless_compressed(position_scores(inspected, static_cast<int64_t>(length)));
  bool any = false;
  for (Tensor& map : maps) {
    map = at::nan_to_num(causal ? map.tril() : map, 0.0, 0.0, 0.0);
    any = any || map.count_nonzero().item<int64_t>() > 0;
  }
  return any ? maps : Maps();
}

data::PackedTokens packed(std::span<const int32_t> sentence) {
  data::PackedTokens tokens;
  tokens.append(sentence);
  return tokens;
}

}  // namespace

AttentionMaps attention_maps(const TranslationModel& model, std::span<const int32_t> source,
                             std::span<const int32_t> target, int32_t begin_id) {
  const torch::NoGradGuard no_grad;
  const at::Device device = model.output_weight().device();
  const data::PackedTokens sources = packed(source);
  const data::PackedTokens inputs = shifted_right(packed(target), begin_id);
  const encoders::Packing source_packing = encoders::packing_of(sources, device);
  const encoders::Packing target_packing = encoders::packing_of(inputs, device);
  AttentionMaps maps;
  Tensor memory;
  {
    const AttentionRecorder recorder;
    memory = model.encode(encoders::ids_of(sources.tokens, device), source_packing);
    maps.encoder = unless_compressed(recorder.probabilities());
  }
  {
    const AttentionRecorder recorder;
    model.decode(encoders::ids_of(inputs.tokens, device), target_packing, memory, source_packing);
    // Each layer attends first to the target, unless it is recurrent, then to the source.
    const Maps& all = recorder.probabilities();
    const size_t attentions = model.config().decoder_layer == "ssru" ? 1 : 2;
    for (size_t i = 0; i < all.size(); ++i)
      ((i + 1) % attentions == 0 ? maps.cross : maps.decoder).push_back(all[i]);
    maps.decoder = unless_compressed(std::move(maps.decoder));
    maps.cross = unless_compressed(std::move(maps.cross));
  }
  const auto children = model.named_children();
  maps.encoder_positions = position_maps(model, *children["encoder"]->as<encoders::EncoderStack>(),
                                         false, source.size());
  if (model.config().decoder_layer == "ssru") return maps;
  maps.decoder_positions =
      position_maps(model, *children["decoder"]->as<encoders::DecoderStack>(), true, target.size());
  return maps;
}

}  // namespace dietmt::nmt
