// Inputs of fine-tuning: the data of a task of any kind and a pre-trained encoder, which
// together make its training task.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "bert/finetuning/span_task.h"
#include "bert/finetuning/tag_task.h"
#include "bert/finetuning/task_data.h"
#include "bert/prediction/task_description.h"
#include "data/text/bert_tokenizer.h"
#include "encoders/bert/bert.h"

namespace dietmt::bert {

using FinetuningData = std::variant<LabelledData, SpanData, TagData>;

/// As read_labelled(), read_spans() or read_tags().
FinetuningData read_data(TaskDescription& description, const TaskFiles& files,
                         const data::BertTokenizer& tokenizer);

/// Examples, or windows, of an epoch.
int64_t training_inputs(const FinetuningData& data);

/// Hash of training and validation data.
uint64_t content_hash(const FinetuningData& data);

/// Arguments passed by reference must outlive the task.
std::unique_ptr<FinetuningTask> make_task(std::shared_ptr<encoders::Bert> model,
                                          const data::BertTokenizer& tokenizer,
                                          const TaskDescription& description,
                                          const FinetuningData& data,
                                          const FinetuningOptions& options);

struct StartOptions {
  std::string model;      // of this program or of Hugging Face's transformers
  std::string tokenizer;  // empty: the model's
  std::string position;   // empty: the model's; new parameters start at random
  // None: as in pre-training.
  std::optional<double> dropout, attention_dropout, embedding_dropout, head_dropout;
};

/// Throws DataError and CheckpointError naming the file.
std::unique_ptr<data::BertTokenizer> start_tokenizer(const StartOptions& options);

/// The encoder under the task's head; `seed` initialises new parameters. Throws as
/// load_pretrained().
std::shared_ptr<encoders::Bert> start_model(const StartOptions& options,
                                            const TaskDescription& description, uint64_t seed);

/// Throws ConfigError if the tokenizer has more pieces than the model, or inputs of the task may be
/// longer than its positions reach; warns of a tokenizer with fewer pieces.
void check_start(const encoders::Bert& model, const data::BertTokenizer& tokenizer,
                 const TaskDescription& description);

}  // namespace dietmt::bert
