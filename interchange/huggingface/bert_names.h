// The names that Hugging Face's transformers gives the parameters of a BERT model.
#pragma once

#include <vector>

#include "encoders/bert/bert_config.h"
#include "interchange/foreign_tensors.h"

namespace dietmt::interchange {

/// All parameters of a model, whose encodings transformers must have: ours as in
/// Bert::named_parameters(), theirs as in BertForPreTraining.state_dict() and its sisters.
std::vector<Correspondence> huggingface_names(const encoders::BertConfig& config);

}  // namespace dietmt::interchange
