// Mixed precision: a pass computes in a narrow type, while the parameters stay in fp32. Its matrix
// products read copies of weights and biases in that type, which are made once at the start of the
// pass, and give the parameters gradients in fp32 (Micikevicius et al. 2018, "Mixed Precision
// Training").
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <optional>
#include <unordered_map>
#include <vector>

namespace dietmt::encoders {

/// Copies of all matrices and vectors of a module, in one buffer. Those with the same name in each
/// layer lie end to end, in the order of the layers.
class WeightCopies {
 public:
  explicit WeightCopies(const torch::nn::Module& module, at::ScalarType type = at::kBFloat16);

  at::ScalarType type() const { return type_; }

  /// Reads the parameters again, in one multi-tensor copy.
  void refresh();

  /// Undefined if the module has no such weight.
  at::Tensor find(const at::Tensor& weight) const;

  /// The copies of [rows, ...] weights as one [sum of rows, ...]; undefined if they do not lie end
  /// to end.
  at::Tensor find_stacked(at::TensorList weights) const;

 private:
  at::ScalarType type_;
  std::vector<at::Tensor> weights_;  // in the order of the copies
  std::vector<at::Tensor> copies_;   // parts of one buffer; empty before the first refresh()
  std::vector<at::Tensor> targets_;  // the same memory; writing there leaves saved copies valid
  std::unordered_map<const at::TensorImpl*, size_t> places_;
};

/// How a pass computes.
struct PassPrecision {
  std::optional<at::ScalarType> type;  // none: that of the parameters
  const WeightCopies* copies = nullptr;
};

/// That of this thread.
PassPrecision pass_precision();

/// Sets the precision of this thread while it lives.
class PassPrecisionScope {
 public:
  explicit PassPrecisionScope(const PassPrecision& precision);
  ~PassPrecisionScope();
  PassPrecisionScope(const PassPrecisionScope&) = delete;
  PassPrecisionScope& operator=(const PassPrecisionScope&) = delete;

 private:
  PassPrecision before_;
};

/// x in the type of this thread's passes.
at::Tensor in_pass_type(const at::Tensor& x);

/// `weight` in this type: the pass's copy if there is one, without gradients.
at::Tensor weight_in(at::ScalarType type, const at::Tensor& weight);

/// Weights [rows, ...] as one [sum of rows, ...], likewise.
at::Tensor stacked_weights_in(at::ScalarType type, at::TensorList weights);

}  // namespace dietmt::encoders
