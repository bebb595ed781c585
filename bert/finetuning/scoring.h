// A fine-tuned model over its inputs: scores of classes, and of first and last tokens of answers.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "bert/finetuning/example_batches.h"
#include "data/tasks/span_prediction.h"
#include "encoders/bert/bert.h"

namespace dietmt::bert {

/// Where a model runs, and how precisely.
struct Execution {
  at::Device device = at::kCPU;
  bool bf16 = false;
};

/// Scores of the classes, or values of a regression: [B, classes] fp32, with gradient.
at::Tensor class_scores(const encoders::Bert& model, const ExampleBatch& batch,
                        const Execution& execution, encoders::DropoutKeys* dropout = nullptr);

/// Scores of each token as first and last one of an answer: [N, 2] fp32, with gradient.
at::Tensor answer_scores(const encoders::Bert& model, const ExampleBatch& batch,
                         const Execution& execution, encoders::DropoutKeys* dropout = nullptr);

/// The same for all inputs, [inputs, classes] on the CPU in their order, without gradient.
at::Tensor all_class_scores(const encoders::Bert& model, const EncodedInputs& inputs,
                            const Execution& execution);

/// The same for all inputs, in their order.
std::vector<data::WindowScores> all_answer_scores(const encoders::Bert& model,
                                                  const EncodedInputs& inputs,
                                                  const Execution& execution);

}  // namespace dietmt::bert
