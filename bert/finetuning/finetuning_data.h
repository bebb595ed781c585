// The data of a task of any kind, and the training task that they make.
#pragma once

#include <memory>
#include <variant>

#include "bert/finetuning/span_task.h"
#include "bert/finetuning/task_data.h"

namespace dietmt::bert {

using FinetuningData = std::variant<LabelledData, SpanData>;

/// As read_labelled() or read_spans().
FinetuningData read_data(TaskDescription& description, const TaskFiles& files,
                         const data::BertTokenizer& tokenizer);

/// Examples, or windows, of an epoch.
int64_t training_inputs(const FinetuningData& data);

/// Of training and validation data.
uint64_t content_hash(const FinetuningData& data);

/// Arguments passed by reference must outlive the task.
std::unique_ptr<FinetuningTask> make_task(std::shared_ptr<encoders::Bert> model,
                                          const data::BertTokenizer& tokenizer,
                                          const TaskDescription& description,
                                          const FinetuningData& data,
                                          const FinetuningOptions& options);

}  // namespace dietmt::bert
