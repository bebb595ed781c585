#include "bert/prediction/encoder_scores.h"

#include <ATen/ATen.h>
#include <torch/types.h>

#include <algorithm>

#include "encoders/ops/scopes.h"

namespace dietmt::bert {
namespace {

using at::Tensor;
using data::Target;
using encoders::Bert;

constexpr double kHeadRange = 5.0;
constexpr int64_t kBatchTokens = 8192;  // without gradients

std::vector<float> column(const Tensor& scores, int64_t begin, int64_t count, int64_t which) {
  const Tensor values = scores.narrow(0, begin, count).select(1, which).contiguous();
  const auto* data = values.const_data_ptr<float>();
  return {data, data + count};
}

}  // namespace

Tensor class_scores(const Bert& model, const ExampleBatch& batch, const Execution& execution,
                    encoders::DropoutKeys* dropout) {
  const encoders::MixedPrecision mixed(execution.bf16, execution.copies);
  const auto [hidden, packing] =
      encode_packed(model, batch.tokens, batch.segments, execution.device, dropout);
  return model.classify(model.pool(hidden, packing), dropout).to(at::kFloat);
}

Tensor answer_scores(const Bert& model, const ExampleBatch& batch, const Execution& execution,
                     encoders::DropoutKeys* dropout) {
  const encoders::MixedPrecision mixed(execution.bf16, execution.copies);
  const encoders::PackedStates encoded =
      encode_packed(model, batch.tokens, batch.segments, execution.device, dropout);
  return model.spans(encoded.hidden).to(at::kFloat);
}

Tensor tag_scores(const Bert& model, const ExampleBatch& batch, const Execution& execution,
                  encoders::DropoutKeys* dropout) {
  const encoders::MixedPrecision mixed(execution.bf16, execution.copies);
  const encoders::PackedStates encoded =
      encode_packed(model, batch.tokens, batch.segments, execution.device, dropout);
  return model.tags(encoded.hidden, dropout).to(at::kFloat);
}

Tensor all_class_scores(const Bert& model, const EncodedInputs& inputs,
                        const Execution& execution) {
  const torch::NoGradGuard no_grad;
  Tensor all = at::empty({inputs.size(), model.config().task_heads.classes}, at::kFloat);
  for (const ExampleBatch& batch : all_batches(inputs, kBatchTokens))
    all.index_copy_(0, at::tensor(batch.examples),
                    class_scores(model, batch, execution).to(at::kCPU));
  return all;
}

std::vector<data::WindowScores> all_answer_scores(const Bert& model, const EncodedInputs& inputs,
                                                  const Execution& execution) {
  const torch::NoGradGuard no_grad;
  std::vector<data::WindowScores> all(static_cast<size_t>(inputs.size()));
  for (const ExampleBatch& batch : all_batches(inputs, kBatchTokens)) {
    const Tensor scores = answer_scores(model, batch, execution).to(at::kCPU);
    for (size_t b = 0; b < batch.examples.size(); ++b) {
      const int64_t begin = batch.tokens.offsets[b];
      const int64_t count = batch.tokens.offsets[b + 1] - begin;
      all[static_cast<size_t>(batch.examples[b])] = {column(scores, begin, count, 0),
                                                     column(scores, begin, count, 1)};
    }
  }
  return all;
}

std::vector<int32_t> all_token_tags(const Bert& model, const EncodedInputs& inputs,
                                    const Execution& execution) {
  const torch::NoGradGuard no_grad;
  std::vector<int32_t> all(inputs.tokens.tokens.size());
  for (const ExampleBatch& batch : all_batches(inputs, kBatchTokens)) {
    const std::vector<int32_t> tags =
        predicted_labels(tag_scores(model, batch, execution).to(at::kCPU));
    for (size_t b = 0; b < batch.examples.size(); ++b) {
      const auto example = static_cast<size_t>(batch.examples[b]);
      std::copy(tags.begin() + batch.tokens.offsets[b], tags.begin() + batch.tokens.offsets[b + 1],
                all.begin() + inputs.tokens.offsets[example]);
    }
  }
  return all;
}

std::vector<int32_t> predicted_labels(const Tensor& scores) {
  const Tensor best = scores.argmax(1).to(at::kInt);
  const auto* first = best.const_data_ptr<int32_t>();
  return {first, first + best.numel()};
}

std::vector<double> predicted_values(const Tensor& scores, const Target& target) {
  std::vector<double> values;
  for (int64_t i = 0; i < scores.size(0); ++i)
    values.push_back(target.lowest +
                     scores[i][0].item<double>() * (target.highest - target.lowest) / kHeadRange);
  return values;
}

double head_value(double value, const Target& target) {
  return (value - target.lowest) * kHeadRange / (target.highest - target.lowest);
}

}  // namespace dietmt::bert
