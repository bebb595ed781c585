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
/// of the model with so many pieces, one sentence each.
std::vector<std::string> apply_preset(const OptionTable& table, BertModelOptions& o,
                                      int64_t vocabulary);

/// The configuration that continues from the model of --init-from: with the dropouts and the larger
/// number of positions that were given. Throws ConfigError for options that contradict the model.
encoders::BertConfig continued_config(const OptionTable& table, const BertModelOptions& o,
                                      const encoders::BertConfig& trained);

/// A new model, or one that continues from that of --init-from, with these heads.
std::shared_ptr<encoders::Bert> make_bert(const OptionTable& table, const BertModelOptions& o,
                                          int64_t vocabulary, const encoders::BertHeads& heads,
                                          uint64_t seed);

/// Throws ConfigError if weights, gradients and moments of this model, so many bytes together for
/// each weight, do not fit into memory. It names the sizes as keys of the model in `directory` that
/// training starts from, or without one as options.
void require_training_memory(const encoders::Bert& model, const std::string& directory,
                             double bytes_per_weight);

}  // namespace dietmt::tools
