#include "bert/finetuning/start_model.h"

#include <spdlog/spdlog.h>

#include "bert/model/pretrained.h"
#include "common/error.h"

namespace dietmt::bert {

std::unique_ptr<data::BertTokenizer> start_tokenizer(const StartOptions& options) {
  if (!options.tokenizer.empty()) return data::load_bert_tokenizer(options.tokenizer);
  return data::load_bert_tokenizer(pretrained_directory(options.model));
}

std::shared_ptr<encoders::Bert> start_model(const StartOptions& options,
                                            const TaskDescription& description, uint64_t seed) {
  const auto pretrained =
      load_pretrained(options.model, {options.position, description.heads(), seed});
  encoders::BertConfig config = pretrained->config();
  config.dropout = options.dropout.value_or(config.dropout);
  config.attention_dropout = options.attention_dropout.value_or(config.attention_dropout);
  config.embedding_dropout = options.embedding_dropout.value_or(config.embedding_dropout);
  config.head_dropout = options.head_dropout.value_or(config.head_dropout);
  return rebuild(*pretrained, config, seed).model;
}

void check_start(const encoders::Bert& model, const data::BertTokenizer& tokenizer,
                 const TaskDescription& description) {
  const int64_t pieces = tokenizer.vocabulary_size();
  const int64_t vocabulary = model.config().vocabulary;
  const std::string counts = "the tokenizer has " + std::to_string(pieces) + " pieces, the model " +
                             std::to_string(vocabulary);
  if (pieces > vocabulary) throw ConfigError(counts + ": it is not the model's");
  if (pieces < vocabulary) spdlog::warn("{}: is it the model's?", counts);
  const int64_t longest = model.encoder().max_length();
  if (description.max_length > longest)
    throw ConfigError("--max-length is " + std::to_string(description.max_length) +
                      ", the model has positions for " + std::to_string(longest) + " tokens");
}

}  // namespace dietmt::bert
