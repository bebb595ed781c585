#include "tests/counting_device/launch_rules.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <vector>

namespace dietmt::counting {
namespace {

/// Operators that take more than one launch.
const std::map<std::string, int64_t> kSeveralLaunches = {
    {"aten::native_layer_norm_backward", 2},  // of the input; of gamma and beta
    {"aten::embedding_dense_backward", 7},    // sort, segments, sums
    {"aten::_index_put_impl_", 6},            // with accumulation: sort, sums
    {"aten::sort", 2},
    {"aten::argsort", 2},
    {"aten::topk", 2},
    {"aten::nonzero", 3},
    {"aten::masked_select", 4},
    {"aten::_unique2", 4},
    {"aten::unique_consecutive", 4},
    {"aten::unique_dim", 6},
    {"aten::multinomial", 4},
    {"aten::cumsum", 1},
    {"aten::repeat_interleave", 2},
};

const std::set<std::string> kWaiting = {
    "aten::nonzero",
    "aten::masked_select",
    "aten::_unique",
    "aten::_unique2",
    "aten::unique_dim",
    "aten::equal",
    "aten::unique_dim_consecutive",
    "aten::bincount",
    "aten::histc",
    "aten::unique_consecutive",
};

bool is_multi_tensor(const std::string& name) {
  return name.starts_with("aten::_foreach_") || name.starts_with("aten::_fused_adam") ||
         name.starts_with("aten::_fused_sgd") || name.starts_with("aten::_amp_foreach");
}

bool accumulates(c10::ArrayRef<c10::IValue> arguments) {
  return arguments.size() > 3 && arguments[3].isBool() && arguments[3].toBool();
}

/// A mask is converted to the indices of its true elements, unless it is filled with one host
/// number.
bool counts_true_elements(c10::ArrayRef<c10::IValue> arguments) {
  if (arguments.size() < 3 || !arguments[1].isList()) return false;
  const at::Tensor& values = arguments[2].toTensor();
  if (values.numel() == 1 && values.is_cpu() && !accumulates(arguments)) return false;
  for (const c10::IValue& item : arguments[1].toListRef()) {
    if (!item.isTensor()) continue;
    const at::ScalarType type = item.toTensor().scalar_type();
    if (item.toTensor().defined() && (type == at::kBool || type == at::kByte)) return true;
  }
  return false;
}

int64_t launches_over_lists(const std::string& name, c10::ArrayRef<c10::IValue> arguments) {
  std::vector<int64_t> sizes;
  int64_t lists = 0;
  for (const c10::IValue& argument : arguments) {
    if (!argument.isTensorList()) continue;
    const auto tensors = argument.toTensorVector();
    if (tensors.empty()) continue;
    if (sizes.empty())
      for (const at::Tensor& tensor : tensors) sizes.push_back(tensor.numel());
    ++lists;
  }
  // Zeros, partial sums, sums.
  if (name == "aten::_foreach_norm" || name == "aten::_foreach_max")
    return multi_tensor_launches(sizes, 1) + 2;
  // Results are a separate list; Adam's steps travel with the others.
  const bool has_result_list = name.back() != '_';
  if (name.starts_with("aten::_fused_adam")) --lists;
  return multi_tensor_launches(sizes, lists + (has_result_list ? 1 : 0));
}

}  // namespace

int64_t multi_tensor_launches(c10::ArrayRef<int64_t> sizes, int64_t lists) {
  constexpr std::array<int64_t, 5> kTensors = {110, 64, 48, 36, 30};
  constexpr int64_t kBlocks = 320, kNumbers = 65536;
  const int64_t most = kTensors[static_cast<size_t>(std::clamp<int64_t>(lists, 1, 5) - 1)];
  int64_t launches = 0, tensors = 0, blocks = 0;
  const auto launch = [&] {
    ++launches;
    tensors = blocks = 0;
  };
  for (const int64_t size : sizes) {
    if (size == 0) continue;
    ++tensors;
    const int64_t chunks = (size + kNumbers - 1) / kNumbers;
    for (int64_t chunk = 0; chunk < chunks; ++chunk) {
      ++blocks;
      const bool last = chunk + 1 == chunks;
      if (blocks == kBlocks || (last && tensors == most)) {
        launch();
        if (!last) tensors = 1;  // the rest of this tensor
      }
    }
  }
  return launches + (blocks > 0 ? 1 : 0);
}

int64_t launches_of(const std::string& name, c10::ArrayRef<c10::IValue> arguments) {
  if (is_multi_tensor(name)) return launches_over_lists(name, arguments);
  const auto found = kSeveralLaunches.find(name);
  if (found == kSeveralLaunches.end()) return 1;
  if (name == "aten::_index_put_impl_" && !accumulates(arguments)) return 1;
  return found->second;
}

bool waits_for_result(const std::string& name, c10::ArrayRef<c10::IValue> arguments) {
  // For at::index LibTorch calls nonzero() itself.
  if (name == "aten::_index_put_impl_") return counts_true_elements(arguments);
  if (name == "aten::repeat_interleave") return arguments.size() < 2 || arguments.back().isNone();
  return kWaiting.contains(name);
}

}  // namespace dietmt::counting
