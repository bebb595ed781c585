// The scores that a fine-tuned encoder gives its inputs, and the labels or numbers that they stand
// for (Devlin et al. 2019, sections 4.1 to 4.3 and 5.3).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "bert/prediction/example_batches.h"
#include "data/tasks/span_prediction.h"
#include "data/tasks/task_table.h"
#include "encoders/bert/bert.h"
#include "encoders/ops/weight_copies.h"

namespace dietmt::bert {

/// Where a model runs, and how precisely.
struct Execution {
  at::Device device = at::kCPU;
  bool bf16 = false;
  encoders::WeightCopies* copies = nullptr;  // of the model, for bf16 on a device
};

/// Scores of the classes, or values of a regression: [B, classes] fp32, with gradient.
at::Tensor class_scores(const encoders::Bert& model, const ExampleBatch& batch,
                        const Execution& execution, encoders::DropoutKeys* dropout = nullptr);

/// Scores of each token as first and last one of an answer: [N, 2] fp32, with gradient.
at::Tensor answer_scores(const encoders::Bert& model, const ExampleBatch& batch,
                         const Execution& execution, encoders::DropoutKeys* dropout = nullptr);

/// Scores of the tags of each token: [N, tags] fp32, with gradient.
at::Tensor tag_scores(const encoders::Bert& model, const ExampleBatch& batch,
                      const Execution& execution, encoders::DropoutKeys* dropout = nullptr);

/// Class scores of all inputs, [inputs, classes] on the CPU in their order, without gradient.
at::Tensor all_class_scores(const encoders::Bert& model, const EncodedInputs& inputs,
                            const Execution& execution);

/// Answer scores of all inputs, in their order.
std::vector<data::WindowScores> all_answer_scores(const encoders::Bert& model,
                                                  const EncodedInputs& inputs,
                                                  const Execution& execution);

/// The best tag of each token of all inputs, end to end.
std::vector<int32_t> all_token_tags(const encoders::Bert& model, const EncodedInputs& inputs,
                                    const Execution& execution);

/// The best class of each input by the scores [inputs, classes] of all_class_scores().
std::vector<int32_t> predicted_labels(const at::Tensor& scores);

/// Predictions of a regression; they can exceed the range of the target.
std::vector<double> predicted_values(const at::Tensor& scores, const data::Target& target);

/// The number that the head of a regression learns for `value`: from 0 to 5, the range of STS-B,
/// for which the published learning rates were chosen.
double head_value(double value, const data::Target& target);

}  // namespace dietmt::bert
