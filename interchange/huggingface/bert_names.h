// Where each parameter of a BERT model is in a file of Hugging Face's transformers.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "encoders/bert/bert_config.h"

namespace dietmt::interchange {

/// How several tensors make one of ours.
enum class Joining {
  kRows,             // one behind the other
  kLayersOfOffsets,  // one a layer, [2C+1, Dh] ordered by i - j where ours, [L, 1, 2C+1, Dh], has j
                     // - i
};

/// One parameter and the tensors it is made of.
struct BertCorrespondence {
  std::string ours;                 // as in Bert::named_parameters()
  std::vector<std::string> theirs;  // as in BertForPreTraining.state_dict() and its sisters
  Joining joining = Joining::kRows;
};

/// Of all parameters of a model with `config`, whose encodings are among those of transformers.
std::vector<BertCorrespondence> huggingface_names(const encoders::BertConfig& config);

/// Our parameter from the tensors of a correspondence, in fp32. Throws c10::Error where their
/// shapes do not fit together.
at::Tensor join(const std::vector<at::Tensor>& parts, Joining joining);

/// The tensors of a correspondence, `count` of them, from our parameter.
std::vector<at::Tensor> split(const at::Tensor& parameter, Joining joining, size_t count);

}  // namespace dietmt::interchange
