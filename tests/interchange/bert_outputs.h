// Everything that a BERT model computes for a batch, named as in make_cases.py.
#pragma once

#include <ATen/ATen.h>
#include <torch/types.h>

#include <map>
#include <string>
#include <vector>

#include "encoders/bert/bert.h"

namespace dietmt::interchange {

using NamedOutputs = std::map<std::string, at::Tensor>;

/// batch: pieces [N], segments [N] and lengths [B], all int64.
inline NamedOutputs outputs_of(const encoders::Bert& model, const NamedOutputs& batch) {
  const torch::NoGradGuard no_grad;
  const at::Tensor& lengths = batch.at("lengths");
  const auto* first = lengths.const_data_ptr<int64_t>();
  encoders::Packing packing(std::vector<int64_t>(first, first + lengths.numel()));
  packing.set_segments(batch.at("segments"));
  const std::vector<at::Tensor> states = model.encoder().hidden_states(batch.at("pieces"), packing);
  NamedOutputs outputs = {{"hidden", at::stack(states)}};
  const encoders::BertHeads& heads = model.config().task_heads;
  if (heads.pooler) outputs["pooled"] = model.pool(states.back(), packing);
  if (heads.masked_lm) outputs["masked_lm"] = model.masked_lm().logits(states.back());
  if (heads.next_sentence) outputs["next_sentence"] = model.next_sentence(outputs.at("pooled"));
  if (heads.classes > 0) outputs["classes"] = model.classify(outputs.at("pooled"));
  if (heads.spans) outputs["spans"] = model.spans(states.back());
  return outputs;
}

}  // namespace dietmt::interchange
