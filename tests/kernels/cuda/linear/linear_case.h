// A linear layer and its gradients, with the expected results in double.
#pragma once

#include <string>
#include <vector>

#include "tests/kernels/cuda/linear/linear_runner.h"
#include "tests/kernels/cuda/rowwise/row_tensor.h"

namespace dietmt::kernels {

struct LinearSizes {
  ElementType type = ElementType::kFloat;
  int64_t rows = 1;
  int64_t inputs = 1;
  int64_t outputs = 1;

  std::string name() const {
    return name_of(type) + " " + std::to_string(rows) + " x " + std::to_string(inputs) + " x " +
           std::to_string(outputs);
  }
};

struct LinearCase {
  explicit LinearCase(const LinearSizes& chosen)
      : sizes(chosen),
        x(RowTensor::random(chosen.type, chosen.rows * chosen.inputs, 1)),
        weight(RowTensor::random(chosen.type, chosen.outputs * chosen.inputs, 2)),
        bias(RowTensor::random(chosen.type, chosen.outputs, 3)),
        grad_output(RowTensor::random(chosen.type, chosen.rows * chosen.outputs, 4)),
        output(chosen.type, chosen.rows * chosen.outputs),
        grad_x(RowTensor::random(chosen.type, chosen.rows * chosen.inputs, 5)),
        grad_weight(RowTensor::random(ElementType::kFloat, chosen.outputs * chosen.inputs, 6)),
        grad_bias(RowTensor::random(ElementType::kFloat, chosen.outputs, 7)) {}

  DeviceLinear forward() const {
    return {.type = sizes.type,
            .rows = sizes.rows,
            .inputs = sizes.inputs,
            .outputs = sizes.outputs,
            .x = x.data(),
            .weight = weight.data(),
            .bias = bias.data(),
            .output = output.data()};
  }

  DeviceLinearBackward backward() const {
    return {.type = sizes.type,
            .rows = sizes.rows,
            .inputs = sizes.inputs,
            .outputs = sizes.outputs,
            .x = x.data(),
            .weight = weight.data(),
            .grad_output = grad_output.data(),
            .grad_x = grad_x.data(),
            .grad_weight = grad_weight.floats(),
            .grad_bias = grad_bias.floats()};
  }

  std::vector<double> expected_output(bool has_bias, bool relu) const {
    std::vector<double> values;
    for (int64_t r = 0; r < sizes.rows; ++r) {
      for (int64_t o = 0; o < sizes.outputs; ++o) {
        double sum = has_bias ? bias.at(o) : 0.0;
        for (int64_t i = 0; i < sizes.inputs; ++i) {
          sum += x.at(r * sizes.inputs + i) * weight.at(o * sizes.inputs + i);
        }
        values.push_back(relu && sum < 0.0 ? 0.0 : sum);
      }
    }
    return values;
  }

  /// Added to `values`.
  std::vector<double> with_grad_x(std::vector<double> values) const {
    for (int64_t r = 0; r < sizes.rows; ++r)
      for (int64_t o = 0; o < sizes.outputs; ++o)
        for (int64_t i = 0; i < sizes.inputs; ++i)
          values[static_cast<size_t>(r * sizes.inputs + i)] +=
              grad_output.at(r * sizes.outputs + o) * weight.at(o * sizes.inputs + i);
    return values;
  }

  std::vector<double> with_grad_weight(std::vector<double> values) const {
    for (int64_t r = 0; r < sizes.rows; ++r)
      for (int64_t o = 0; o < sizes.outputs; ++o)
        for (int64_t i = 0; i < sizes.inputs; ++i)
          values[static_cast<size_t>(o * sizes.inputs + i)] +=
              grad_output.at(r * sizes.outputs + o) * x.at(r * sizes.inputs + i);
    return values;
  }

  std::vector<double> with_grad_bias(std::vector<double> values) const {
    for (int64_t r = 0; r < sizes.rows; ++r)
      for (int64_t o = 0; o < sizes.outputs; ++o)
        values[static_cast<size_t>(o)] += grad_output.at(r * sizes.outputs + o);
    return values;
  }

  LinearSizes sizes;
  RowTensor x, weight, bias, grad_output, output, grad_x, grad_weight, grad_bias;
};

}  // namespace dietmt::kernels
