#include "bert/finetuning/tag_task.h"

#include <ATen/ATen.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "common/error.h"
#include "encoders/attention/packing.h"

namespace dietmt::bert {
namespace {

using at::Tensor;

constexpr int32_t kNoTag = -1;

TagInputs read_tag_set(const TaskDescription& description, const SetFile& file,
                       const data::BertTokenizer& tokenizer, std::vector<std::string>& labels) {
  data::TaggedData read = data::read_tagged(file.path, labels, data::LabelUse::kRequired);
  labels = read.labels;
  TagInputs inputs = encode_tags(std::move(read), tokenizer, description.max_length);
  inputs.name = file.name;
  const int64_t more = inputs.inputs.size() - std::ssize(inputs.data.sentences);
  spdlog::info("{}: {}{}", file.path, inputs.data.summary(),
               more > 0 ? fmt::format("; {} more windows for long sentences", more) : "");
  return inputs;
}

}  // namespace

TagData read_tags(TaskDescription& description, const TaskFiles& files,
                  const data::BertTokenizer& tokenizer) {
  std::vector<std::string>& labels = description.task.target.labels;
  TagData all;
  all.train = read_tag_set(description, {"", files.train, {}}, tokenizer, labels);
  if (labels.size() < 2) throw DataError(files.train + ": all words have the tag " + labels.at(0));
  for (const SetFile& file : files.valid)
    all.valid.push_back(read_tag_set(description, file, tokenizer, labels));
  return all;
}

TagTask::TagTask(std::shared_ptr<encoders::Bert> model, const data::BertTokenizer& tokenizer,
                 const TaskDescription& description, const TagInputs& train,
                 const std::vector<TagInputs>& valid, const FinetuningOptions& options)
    : FinetuningTask(std::move(model), tokenizer, description, train.inputs,
                     {content_hash(train), content_hash(valid)}, options),
      train_(train),
      valid_(valid) {}

// The tag of each token of a batch; kNoTag for those that decide no word.
std::vector<int32_t> TagTask::token_tags(const ExampleBatch& batch) const {
  std::vector<int32_t> tags;
  for (const int64_t window : batch.examples) {
    const auto begin =
        static_cast<size_t>(train_.inputs.tokens.offsets[static_cast<size_t>(window)]);
    for (size_t t = 0; t < static_cast<size_t>(train_.inputs.length(window)); ++t) {
      const int32_t word = train_.words[begin + t];
      tags.push_back(word < 0 ? kNoTag : train_.tags[static_cast<size_t>(word)]);
    }
  }
  return tags;
}

Tensor TagTask::loss(const ExampleBatch& batch, encoders::DropoutKeys& dropout) const {
  const Tensor scores = tag_scores(bert(), batch, execution(), &dropout);
  return at::cross_entropy_loss(scores, encoders::ids_of(token_tags(batch), scores.device()), {},
                                at::Reduction::Sum, kNoTag);
}

int64_t TagTask::targets(const ExampleBatch& batch) const {
  const std::vector<int32_t> tags = token_tags(batch);
  const int64_t without = std::ranges::count(tags, kNoTag);
  return std::max<int64_t>(1, std::ssize(tags) - without);  // a window may decide no word
}

std::vector<std::string> TagTask::score_names() const { return metric_names(valid_); }

std::map<std::string, double> TagTask::validate() {
  std::vector<data::SetScores> sets;
  for (const TagInputs& set : valid_)
    sets.emplace_back(
        set.name, tag_metrics(description().task,
                              predicted_tags(set, all_token_tags(bert(), set.inputs, execution())),
                              named_tags(set.data, set.tags)));
  return joined(description().task, sets);
}

}  // namespace dietmt::bert
