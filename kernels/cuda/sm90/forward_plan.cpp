#include "kernels/cuda/sm90/forward_plan.h"

namespace dietmt::kernels {
namespace {

/// The vectors of all heads: width, heads, tokens.
TensorMap map_of(const HeadRows& rows, const AttentionSizes& sizes, int64_t tokens,
                 int64_t box_tokens) {
  constexpr int64_t kElementBytes = 2;
  return encode_tensor_map(
      {.data = rows.data,
       .type = sizes.type,
       .swizzle = Swizzle::k128Bytes,
       .sizes = {sizes.head_width, sizes.heads, tokens},
       .strides = {sizes.head_width * kElementBytes, rows.token_stride * kElementBytes},
       .box = {64, 1, static_cast<int32_t>(box_tokens)}});
}

bool has_aligned_rows(const HeadRows& rows) {
  return reinterpret_cast<uintptr_t>(rows.data) % 16 == 0 && rows.token_stride % 8 == 0;
}

}  // namespace

std::vector<std::string> reasons_against_warpgroup_forward(const AttentionForward& call) {
  const AttentionSizes& sizes = call.sizes;
  std::vector<std::string> reasons;
  if (sizes.type == ElementType::kFloat) {
    reasons.push_back("the elements are float32, not bfloat16 or float16");
  }
  const int width = kernel_width(sizes.head_width);
  if (width != 64 && width != 128) {
    reasons.push_back("the head width is " + std::to_string(sizes.head_width) +
                      ", not a multiple of 8 of 40 to 64 or 104 to 128");
  }
  const TermClass terms = term_class(call.terms.tables);
  if (terms != TermClass::kPlain && terms != TermClass::kOffsetBias) {
    reasons.push_back("the scores have terms besides a bias of each offset");
  }
  if (sizes.heads > kMaxHeads) {
    reasons.push_back(std::to_string(sizes.heads) + " heads are more than " +
                      std::to_string(kMaxHeads));
  }
  for (const HeadRows& rows : {call.queries, call.keys, call.values}) {
    if (has_aligned_rows(rows)) continue;
    reasons.push_back("the rows of queries, keys or values do not begin at 16 bytes");
    break;
  }
  return reasons;
}

WarpgroupForwardArguments plan_warpgroup_forward(const AttentionForward& call) {
  const AttentionSizes& sizes = call.sizes;
  const int64_t queries = sizes.query_offsets[sizes.sentences];
  const int64_t keys = sizes.key_offsets[sizes.sentences];
  return {plan_forward(call, nullptr).arguments, map_of(call.queries, sizes, queries, kRows),
          map_of(call.keys, sizes, keys, kKeyColumns),
          map_of(call.values, sizes, keys, kKeyColumns)};
}

}  // namespace dietmt::kernels
