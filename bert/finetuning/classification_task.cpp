#include "bert/finetuning/classification_task.h"

#include <ATen/ATen.h>
#include <torch/types.h>

#include <bit>
#include <numeric>

#include "encoders/attention/packing.h"
#include "encoders/device/device.h"

namespace dietmt::bert {
namespace {

using at::Tensor;

}  // namespace

uint64_t content_hash(const LabelledInputs& set) {
  uint64_t hash = content_hash(set.inputs);
  for (const int32_t label : set.labels) hash = random_key(hash, static_cast<uint32_t>(label));
  for (const double value : set.values) hash = random_key(hash, std::bit_cast<uint64_t>(value));
  return hash;
}

ClassificationTask::ClassificationTask(std::shared_ptr<encoders::Bert> model,
                                       const data::BertTokenizer& tokenizer,
                                       const TaskDescription& description,
                                       const LabelledInputs& train,
                                       const std::vector<LabelledInputs>& valid,
                                       const FinetuningOptions& options)
    : FinetuningTask(std::move(model), tokenizer, description, train.inputs,
                     {content_hash(train), content_hash(valid)}, options),
      train_(train),
      valid_(valid) {}

Tensor ClassificationTask::targets(const LabelledInputs& set, std::span<const int64_t> examples,
                                   at::Device device) const {
  if (description().kind() == data::TaskKind::kClassification) {
    std::vector<int32_t> labels;
    for (const int64_t i : examples) labels.push_back(set.labels[static_cast<size_t>(i)]);
    return encoders::ids_of(labels, device);
  }
  const Tensor values = encoders::staging_tensor(std::ssize(examples), device).view(at::kDouble);
  auto* value = values.mutable_data_ptr<double>();
  for (const int64_t i : examples)
    *value++ = head_value(set.values[static_cast<size_t>(i)], description().task.target);
  return values.to(device, /*non_blocking=*/true).to(at::kFloat);
}

Tensor ClassificationTask::summed_loss(const Tensor& scores, const Tensor& targets) const {
  if (description().kind() == data::TaskKind::kClassification)
    return at::cross_entropy_loss(scores, targets, {}, at::Reduction::Sum);
  return at::mse_loss(scores.squeeze(1), targets, at::Reduction::Sum);
}

Tensor ClassificationTask::loss(const ExampleBatch& batch, encoders::DropoutKeys& dropout) const {
  const Tensor scores = class_scores(bert(), batch, execution(), &dropout);
  return summed_loss(scores, targets(train_, batch.examples, scores.device()));
}

double ClassificationTask::mean_loss(const LabelledInputs& set, const Tensor& scores) const {
  std::vector<int64_t> examples(static_cast<size_t>(set.inputs.size()));
  std::iota(examples.begin(), examples.end(), 0);
  return summed_loss(scores, targets(set, examples, scores.device())).item<double>() /
         static_cast<double>(set.inputs.size());
}

data::Scores ClassificationTask::metrics(const LabelledInputs& set, const Tensor& scores) const {
  const data::Task& task = description().task;
  if (description().kind() == data::TaskKind::kClassification)
    return class_metrics(task, predicted_labels(scores), set.labels);
  return value_metrics(task, predicted_values(scores, task.target), set.values);
}

std::vector<std::string> ClassificationTask::score_names() const {
  std::vector<std::string> names = metric_names(valid_);
  names.emplace_back("valid_loss");
  return names;
}

std::map<std::string, double> ClassificationTask::validate() {
  const torch::NoGradGuard no_grad;
  std::vector<data::SetScores> sets;
  double first_loss = 0.0;
  for (const LabelledInputs& set : valid_) {
    const Tensor scores = all_class_scores(bert(), set.inputs, execution());
    if (sets.empty()) first_loss = mean_loss(set, scores);
    sets.emplace_back(set.name, metrics(set, scores));
  }
  data::Scores all = joined(description().task, sets);
  all["valid_loss"] = first_loss;
  return all;
}

}  // namespace dietmt::bert
