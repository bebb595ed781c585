#include "encoders/transformer/recomputation.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/custom_class.h>
#include <torch/types.h>

#include <algorithm>
#include <optional>

#include "encoders/ops/weight_copies.h"

namespace dietmt::encoders {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// State that the second run needs in addition to the inputs.
struct Rerun : torch::CustomClassHolder {
  Section section;
  std::vector<bool> defined;        // of all inputs
  std::optional<DropoutKeys> keys;  // as they were before the first run
  PassPrecision precision;

  Tensor run(const variable_list& given, DropoutKeys* with) const {
    std::vector<Tensor> inputs(defined.size());
    size_t next = 0;
    for (size_t n = 0; n < defined.size(); ++n)
      if (defined[n]) inputs[n] = given[next++];
    return section(inputs, with);
  }
};

struct Recomputed : torch::autograd::Function<Recomputed> {
  static Tensor forward(AutogradContext* context, const c10::intrusive_ptr<Rerun>& rerun,
                        DropoutKeys* keys, at::TensorList inputs) {
    context->saved_data["rerun"] = at::IValue::make_capsule(rerun);
    // Autograd refuses the second run if the key has changed.
    variable_list saved = inputs.vec();
    saved.push_back(keys != nullptr ? keys->place() : Tensor());
    context->save_for_backward(saved);
    return rerun->run(inputs.vec(), keys);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto rerun =
        c10::static_intrusive_pointer_cast<Rerun>(context->saved_data["rerun"].toCapsule());
    variable_list inputs, saved = context->get_saved_variables();
    saved.pop_back();
    for (const Tensor& input : saved)
      inputs.push_back(input.detach().requires_grad_(input.requires_grad()));
    Tensor output;
    {
      const at::AutoGradMode with_gradients(true);
      const PassPrecisionScope precision(rerun->precision);
      std::optional<DropoutKeys> keys = rerun->keys;
      output = rerun->run(inputs, keys ? &*keys : nullptr);
    }
    torch::autograd::backward({output}, {gradients[0]});
    variable_list results(2);  // of the first two arguments: none
    for (const Tensor& input : inputs) results.push_back(input.grad());
    return results;
  }
};

}  // namespace

Tensor recomputed(const Section& section, const std::vector<Tensor>& inputs, DropoutKeys* keys) {
  if (!at::GradMode::is_enabled()) return section(inputs, keys);
  const auto rerun = c10::make_intrusive<Rerun>();
  rerun->section = section;
  variable_list given;
  for (const Tensor& input : inputs) {
    rerun->defined.push_back(input.defined());
    if (input.defined()) given.push_back(input);
  }
  // Autograd only sees the inputs; parameters need a gradient even where frozen ones made them.
  if (std::ranges::none_of(given, [](const Tensor& input) { return input.requires_grad(); }))
    given.front() = given.front().detach().requires_grad_(true);
  if (keys != nullptr) rerun->keys = *keys;
  rerun->precision = pass_precision();
  return Recomputed::apply(rerun, keys, at::TensorList(given));
}

}  // namespace dietmt::encoders
