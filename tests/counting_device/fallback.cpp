#include "tests/counting_device/fallback.h"

#include <ATen/ATen.h>
#include <ATen/core/LegacyTypeDispatch.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/error.h"
#include "tests/counting_device/aliases.h"
#include "tests/counting_device/device_memory.h"
#include "tests/counting_device/launch_log.h"
#include "tests/counting_device/launch_rules.h"
#include "tests/counting_device/recording.h"

namespace dietmt::counting {
namespace {

using c10::IValue;
using torch::jit::Stack;

bool is_on_device(const at::Tensor& tensor) {
  return tensor.defined() && tensor.device().type() == c10::kPrivateUse1;
}

bool is_written(const c10::Argument& argument) {
  return argument.alias_info() != nullptr && argument.alias_info()->isWrite();
}

/// Indices may be in host memory: CUDA's kernel copies them.
bool copies_indices(const std::string& name) {
  return name == "aten::index" || name == "aten::_index_put_impl_";
}

void check_device(const at::Tensor& tensor, const c10::OperatorHandle& op,
                  const c10::Argument& argument) {
  if (!tensor.defined() || is_on_device(tensor)) return;
  const bool is_number = tensor.is_cpu() && tensor.dim() == 0 && !is_written(argument);
  if (is_number) return;
  const std::string& name = op.schema().name();
  if (copies_indices(name) && argument.name() == "indices") {
    if (name == "aten::index") return;  // counted when LibTorch looked at the indices
    log_copy(CopyKind::kHostToDevice);
    log_wait(name + ": indices in host memory");
    return;
  }
  throw Error(toString(op.operator_name()) + ": argument '" + argument.name() + "' is on " +
              tensor.device().str() + ", others are on " + std::string("the counting device"));
}

/// A call whose device tensors are replaced by CPU tensors, and back.
class MirroredCall {
 public:
  MirroredCall(const c10::OperatorHandle& op, Stack* stack)
      : op_(op), stack_(stack), begin_(stack->size() - op.schema().arguments().size()) {
    given_.assign(stack->begin() + static_cast<std::ptrdiff_t>(begin_), stack->end());
  }

  const std::vector<IValue>& given() const { return given_; }

  void check_devices() const {
    for (size_t i = 0; i < given_.size(); ++i) {
      const c10::Argument& argument = op_.schema().arguments()[i];
      if (given_[i].isTensor()) check_device(given_[i].toTensor(), op_, argument);
      if (!given_[i].isList()) continue;
      for (const IValue& item : given_[i].toListRef())
        if (item.isTensor()) check_device(item.toTensor(), op_, argument);
    }
  }

  void run() {
    // A kernel that returns its arguments returns references to them, which are read after the
    // stack has lost them.
    std::vector<IValue> mirrors;
    for (size_t i = 0; i < given_.size(); ++i)
      (*stack_)[begin_ + i] =
          mirrors.emplace_back(mirrored(given_[i], op_.schema().arguments()[i]));
    {
      const ResultsInMirror results;
      const at::AutoDispatchBelowADInplaceOrView below_autograd;
      const c10::impl::ExcludeDispatchKeyGuard without_autocast(c10::autocast_dispatch_keyset);
      op_.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), stack_);
    }
    for (const auto& [device_tensor, result] : unsized_)
      if (result.numel() > 0) adopt(device_tensor, result);
    return_results([&](const IValue& value) { return on_device(value); });
    if (is_recording()) record();
  }

  /// Whether only floating-point arguments are written, which already have their sizes.
  bool writes_only_numbers() const {
    const auto& arguments = op_.schema().arguments();
    bool writes = false;
    for (const c10::Argument& result : op_.schema().returns())
      if (!is_written(result)) return false;
    for (size_t i = 0; i < given_.size(); ++i) {
      if (!is_written(arguments[i])) continue;
      if (!given_[i].isTensor() && !given_[i].isTensorList()) return false;
      for (const at::Tensor& tensor : tensors_of(given_[i]))
        if (!tensor.is_floating_point() || tensor.numel() == 0) return false;
      writes = true;
    }
    return writes;
  }

  /// Sets the results to zero, or the arguments that would have been updated.
  void skip() {
    for (size_t i = 0; i < given_.size(); ++i) {
      const c10::Argument& argument = op_.schema().arguments()[i];
      if (!is_written(argument) || !argument.kwarg_only()) continue;
      for (const at::Tensor& tensor : tensors_of(given_[i]))
        if (tensor.numel() <= kMostZeroedNumbers) mirror_alias(tensor).zero_();
    }
    stack_->resize(begin_);
    for (size_t i = 0; i < op_.schema().returns().size(); ++i) stack_->emplace_back();
    return_results([](const IValue& value) { return value; });
  }

 private:
  static std::vector<at::Tensor> tensors_of(const IValue& value) {
    if (value.isTensor()) return {value.toTensor()};
    return value.toTensorVector();
  }

  /// A replay runs the operator on the same memory and copies its results to where the first ones
  /// are.
  void record() {
    unsized_.clear();  // the arguments have their sizes now
    std::vector<IValue> arguments;
    for (size_t i = 0; i < given_.size(); ++i) {
      const IValue mirror = mirrored(given_[i], op_.schema().arguments()[i]);
      const bool is_number = given_[i].isTensor() && given_[i].toTensor().is_cpu();
      arguments.push_back(is_number ? IValue(mirror.toTensor().clone()) : mirror);
    }
    std::vector<std::vector<at::Tensor>> results;  // none for returned arguments
    const auto& returns = op_.schema().returns();
    for (size_t i = 0; i < returns.size(); ++i) {
      auto& mirrors = results.emplace_back();
      const IValue& result = (*stack_)[begin_ + i];
      if (argument_of(returns[i]) != nullptr || !(result.isTensor() || result.isTensorList()))
        continue;
      for (const at::Tensor& tensor : tensors_of(result))
        mirrors.push_back(tensor.defined() ? mirror_alias(tensor) : tensor);
    }
    record_call([op = op_, arguments = std::move(arguments), results = std::move(results)] {
      Stack stack = arguments;
      const c10::impl::ExcludeDispatchKeyGuard without_autocast(c10::autocast_dispatch_keyset);
      op.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), &stack);
      for (size_t i = 0; i < results.size(); ++i)
        for (size_t j = 0; j < results[i].size(); ++j)
          if (results[i][j].defined()) results[i][j].copy_(tensors_of(stack[i])[j]);
    });
  }

  at::Tensor mirrored(const at::Tensor& tensor, const c10::Argument& argument) {
    if (!is_on_device(tensor)) return tensor;
    if (is_written(argument) && tensor.numel() == 0) {
      const at::Tensor unsized = at::empty(tensor.sizes(), tensor.options().device(at::kCPU));
      unsized_.emplace_back(tensor, unsized);
      return unsized;
    }
    return mirror_alias(tensor);
  }

  IValue mirrored(const IValue& value, const c10::Argument& argument) {
    if (value.isTensor()) return mirrored(value.toTensor(), argument);
    if (value.isTensorList()) {
      std::vector<at::Tensor> tensors = value.toTensorVector();
      for (at::Tensor& tensor : tensors) tensor = mirrored(tensor, argument);
      return tensors;
    }
    if (value.isOptionalTensorList()) {
      c10::List<std::optional<at::Tensor>> tensors;
      for (const std::optional<at::Tensor>& item : value.toOptionalTensorVector())
        tensors.push_back(item ? std::optional(mirrored(*item, argument)) : std::nullopt);
      return tensors;
    }
    if (value.isDevice()) return c10::Device(c10::kCPU);
    return value;
  }

  static IValue on_device(const IValue& value) {
    if (value.isTensor())
      return value.toTensor().defined() ? device_tensor_of(value.toTensor()) : value.toTensor();
    if (!value.isTensorList()) return value;
    std::vector<at::Tensor> tensors = value.toTensorVector();
    for (at::Tensor& tensor : tensors) tensor = device_tensor_of(tensor);
    return tensors;
  }

  /// Replaces results that are arguments with those, the others with `convert` of them.
  template <typename Convert>
  void return_results(const Convert& convert) {
    const auto& returns = op_.schema().returns();
    for (size_t i = 0; i < returns.size(); ++i) {
      IValue& result = (*stack_)[begin_ + i];
      const IValue* const argument = argument_of(returns[i]);
      result = argument != nullptr ? *argument : convert(result);
    }
  }

  const IValue* argument_of(const c10::Argument& result) const {
    if (!is_written(result)) return nullptr;
    for (size_t i = 0; i < given_.size(); ++i) {
      const c10::Argument& argument = op_.schema().arguments()[i];
      if (is_written(argument) &&
          argument.alias_info()->beforeSets() == result.alias_info()->beforeSets())
        return &given_[i];
    }
    return nullptr;
  }

  const c10::OperatorHandle& op_;
  Stack* stack_;
  size_t begin_;
  std::vector<IValue> given_;
  std::vector<std::pair<at::Tensor, at::Tensor>> unsized_;  // of the device, of the CPU
};

/// Results that later steps rely on, unless they are large.
const std::set<std::string> kSetsNumbers = {"aten::zero_", "aten::fill_"};

}  // namespace

void run_on_mirror(const c10::OperatorHandle& op, Stack* stack) {
  const DeviceWork work;
  const std::string& name = op.schema().name();
  MirroredCall call(op, stack);
  call.check_devices();
  log_launches(name.substr(name.find("::") + 2), launches_of(name, call.given()));
  if (waits_for_result(name, call.given())) log_wait(name);
  if (!computes() && call.writes_only_numbers() &&
      (!kSetsNumbers.contains(name) || call.given()[0].toTensor().numel() > kMostZeroedNumbers))
    return call.skip();
  call.run();
}

}  // namespace dietmt::counting
