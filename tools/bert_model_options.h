// The options that describe a BERT model, and the model they lead to.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/options.h"
#include "encoders/bert/bert.h"

namespace dietmt::tools {

struct BertModelOptions {
  std::string preset = "base";
  encoders::BertConfig model;
  std::string init_from;
  std::string position;  // empty: that of --init-from, or `learned`
};

void bind_bert_model(OptionTable& table, BertModelOptions& o);

/// After parsing: takes each size from the preset unless an option gives it. Returns all problems
/// of the model with so many pieces, one sentence each, also if it would not fit into memory with
/// `bytes_per_weight`.
std::vector<std::string> apply_preset(const OptionTable& table, BertModelOptions& o,
                                      int64_t vocabulary, int64_t bytes_per_weight);

/// A new model, or the one of --init-from with these heads.
std::shared_ptr<encoders::Bert> make_bert(const BertModelOptions& o, int64_t vocabulary,
                                          const encoders::BertHeads& heads, uint64_t seed);

}  // namespace dietmt::tools
