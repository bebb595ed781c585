// How optimisers other than Adam step one parameter.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace dietmt::training {

struct OptimizerOptions;

class ParameterRule {
 public:
  virtual ~ParameterRule() = default;

  /// One update of `parameter` with learning rate `rate`.
  virtual void step(at::Tensor& parameter, const at::Tensor& gradient, double rate) = 0;

  /// The state kept between updates, by name; the tensors share the rule's memory.
  virtual std::vector<std::pair<std::string, at::Tensor>> state() const = 0;
};

/// The rule of options.type for the parameter `name`, or null if that is Adam's:
///
/// - "adafactor" (Shazeer and Stern 2018, algorithms 4 and 5, without momentum and with the
///   learning rate of the schedule, not one relative to the weights): a matrix keeps the means of
///   its squared gradients over rows and over columns only.
/// - "muon" (Jordan et al. 2024): the momentum of a layer's matrix, made orthogonal by five
///   Newton-Schulz iterations and scaled by 0.2 sqrt(max(rows, columns)), so that it is as large as
///   a step of Adam (Liu et al. 2025, "Muon is Scalable for LLM Training"). Embeddings, vectors and
///   position tables are stepped by AdamW.
///
/// Weight decay is decoupled and not applied to vectors.
std::unique_ptr<ParameterRule> parameter_rule(const OptimizerOptions& options,
                                              const std::string& name, const at::Tensor& parameter);

/// The nearest matrix to `x` [O, I] with equal singular values, approximately X (X^T X)^(-1/2).
at::Tensor orthogonal(const at::Tensor& x);

}  // namespace dietmt::training
