// The attention kernels of one element type, head width and class of terms.
#pragma once

#include <utility>

#include "kernels/cuda/attention_plan.h"
#include "kernels/cuda/elements.h"

namespace dietmt::kernels {

/// Defined in the objects of attention_instance.cu.
template <typename E, int kWidth, TermClass kTerms>
struct AttentionInstance {
  static void forward(const AttentionForward& call, void* workspace, void* stream);
  static void backward(const AttentionBackward& call, void* workspace, void* stream);
  static int64_t shared_bytes(const AttentionForward& call);
};

/// The class of terms that a call runs in. fp16 and fp32 have only two, which cost less to compile.
template <typename E>
constexpr TermClass compiled_class(TermClass terms) {
  if constexpr (!std::is_same_v<E, BFloat16>) {
    return terms == TermClass::kPlain ? terms : TermClass::kEverything;
  }
  return terms;
}

namespace detail {
template <typename E, int kWidth, template <typename, int, TermClass> typename Instance,
          typename Run>
void with_terms(TermClass terms, const Run& run) {
  switch (compiled_class<E>(terms)) {
    case TermClass::kPlain:
      return run(Instance<E, kWidth, TermClass::kPlain>());
    case TermClass::kOffsetBias:
      return run(Instance<E, kWidth, compiled_class<E>(TermClass::kOffsetBias)>());
    case TermClass::kPairBias:
      return run(Instance<E, kWidth, compiled_class<E>(TermClass::kPairBias)>());
    case TermClass::kRelativeVectors:
      return run(Instance<E, kWidth, compiled_class<E>(TermClass::kRelativeVectors)>());
    case TermClass::kEverything:
      return run(Instance<E, kWidth, TermClass::kEverything>());
  }
}

template <typename E, template <typename, int, TermClass> typename Instance, typename Run>
void with_width(const AttentionForward& call, const Run& run) {
  const TermClass terms = term_class(call.terms.tables);
  switch (kernel_width(call.sizes.head_width, call.sizes.type)) {
    case 32:
      if constexpr (!kIsFloat<E>) return with_terms<E, 32, Instance>(terms, run);
      return;
    case 64:
      return with_terms<E, 64, Instance>(terms, run);
    case 96:
      if constexpr (!kIsFloat<E>) return with_terms<E, 96, Instance>(terms, run);
      return;
    default:
      return with_terms<E, 128, Instance>(terms, run);
  }
}
}  // namespace detail

/// run(Instance<E, width, terms>()) of a call that has a kernel, by kernel_width().
template <template <typename, int, TermClass> typename Instance, typename Run>
void with_instance(const AttentionForward& call, const Run& run) {
  if (call.sizes.type == ElementType::kHalf) return detail::with_width<Half, Instance>(call, run);
  if (call.sizes.type == ElementType::kFloat) return detail::with_width<float, Instance>(call, run);
  detail::with_width<BFloat16, Instance>(call, run);
}

}  // namespace dietmt::kernels
