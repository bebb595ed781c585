// transformers' tensor names in its encoder-only models.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "encoders/bert/bert_config.h"
#include "interchange/foreign_tensors.h"

namespace dietmt::interchange {

/// A family of models with BERT's layers. Names end before ".weight" and ".bias".
struct EncoderFamily {
  const char* prefix;  // of the encoder's tensors
  const char* masked_lm_dense;
  const char* masked_lm_norm;
  const char* masked_lm_bias;     // full name
  const char* masked_lm_decoder;  // a copy of the piece embeddings, and of the bias
  const char* next_sentence;      // null: the family has no such head
  /// The layer before the class scores, unless that is the pooler.
  const char* classifier_dense;
  const char* classifier;
};

/// BERT (Devlin et al. 2019), and RoBERTa (Liu et al. 2019) with XLM-R (Conneau et al. 2020).
const EncoderFamily& bert_family();
const EncoderFamily& roberta_family();

/// The parameters of BertModel inside a module that calls it "encoder", with tensor names that
/// start with `prefix`, such as "bert." or "encoder.model.". transformers must support the position
/// encoding.
std::vector<Correspondence> encoder_names(const encoders::BertConfig& config,
                                          const std::string& prefix);

/// The names of all parameters of Bert.
std::vector<Correspondence> model_names(const encoders::BertConfig& config,
                                        const EncoderFamily& family);

std::string position_table(const std::string& prefix);
std::string segment_table(const std::string& prefix);

/// Adds the prefix that files of a bare encoder lack, renames the norms of old files, and restores
/// the output bias's name if only the output layer has it.
TensorsByName with_modern_names(TensorsByName tensors, const EncoderFamily& family);

/// The heads that the tensors belong to. `description` is the model's config.json.
encoders::BertHeads heads_of(const TensorsByName& tensors, const EncoderFamily& family,
                             const nlohmann::json& description);

}  // namespace dietmt::interchange
