#include "bert/finetuning/finetuning_setup.h"

#include <spdlog/spdlog.h>

#include "bert/model/model_directory.h"
#include "common/error.h"

namespace dietmt::bert {
namespace fs = std::filesystem;

FinetuningData read_data(TaskDescription& description, const TaskFiles& files,
                         const data::BertTokenizer& tokenizer) {
  if (description.kind() == data::TaskKind::kSpan) return read_spans(description, files, tokenizer);
  if (description.kind() == data::TaskKind::kTags) return read_tags(description, files, tokenizer);
  return read_labelled(description, files, tokenizer);
}

int64_t training_inputs(const FinetuningData& data) {
  if (const auto* labelled = std::get_if<LabelledData>(&data)) return labelled->train.inputs.size();
  if (const auto* tags = std::get_if<TagData>(&data)) return tags->train.inputs.size();
  return std::get<SpanData>(data).train.windows.size();
}

uint64_t content_hash(const FinetuningData& data) {
  return std::visit(
      [](const auto& sets) {
        return random_key(content_hash(sets.train), content_hash(sets.valid));
      },
      data);
}

std::unique_ptr<FinetuningTask> make_task(std::shared_ptr<encoders::Bert> model,
                                          const data::BertTokenizer& tokenizer,
                                          const TaskDescription& description,
                                          const FinetuningData& data,
                                          const FinetuningOptions& options) {
  if (const auto* labelled = std::get_if<LabelledData>(&data))
    return std::make_unique<ClassificationTask>(std::move(model), tokenizer, description,
                                                labelled->train, labelled->valid, options);
  if (const auto* tags = std::get_if<TagData>(&data))
    return std::make_unique<TagTask>(std::move(model), tokenizer, description, tags->train,
                                     tags->valid, options);
  const auto& spans = std::get<SpanData>(data);
  return std::make_unique<SpanTask>(std::move(model), tokenizer, description, spans.train,
                                    spans.valid, options);
}

std::unique_ptr<data::BertTokenizer> start_tokenizer(const StartOptions& options) {
  const fs::path model = pretrained_directory(options.model);
  if (!is_bert(model))
    throw CheckpointError(model.string() +
                          ": is not a BERT encoder; make one with 'dietmt bert pretrain' or "
                          "'dietmt bert import'");
  return data::load_bert_tokenizer(options.tokenizer.empty() ? model : fs::path(options.tokenizer));
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
  if (pieces > vocabulary)
    throw ConfigError(counts + ": use the tokenizer that the model was trained with");
  if (pieces < vocabulary) spdlog::warn("{}: was the model trained with this tokenizer?", counts);
  const int64_t longest = model.encoder().max_length();
  if (description.max_length > longest)
    throw ConfigError("--max-length is " + std::to_string(description.max_length) +
                      ", the model has positions for " + std::to_string(longest) + " tokens");
}

}  // namespace dietmt::bert
