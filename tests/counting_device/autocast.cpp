#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <torch/library.h>

#include "tests/counting_device/operators.h"

// The macros use names from these.
using namespace at;            // NOLINT
using namespace at::autocast;  // NOLINT

#define DIETMT_LOWER_PRECISION(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, lower_precision_fp)
#define DIETMT_FP32(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, fp32)
#define DIETMT_FP32_DTYPE(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, fp32_set_opt_dtype)

namespace dietmt::counting {

void register_autocast() {
  constexpr auto kKey = c10::DispatchKey::AutocastPrivateUse1;
  static auto& others = *new torch::Library(torch::Library::IMPL, "_", kKey, __FILE__, __LINE__);
  others.fallback(torch::CppFunction::makeFallthrough());
  static auto& m = *new torch::Library(torch::Library::IMPL, "aten", kKey, __FILE__, __LINE__);
  AT_FORALL_LOWER_PRECISION_FP(DIETMT_LOWER_PRECISION)
  AT_FORALL_FP32(DIETMT_FP32)
  AT_FORALL_FP32_SET_OPT_DTYPE(DIETMT_FP32_DTYPE)
}

}  // namespace dietmt::counting
