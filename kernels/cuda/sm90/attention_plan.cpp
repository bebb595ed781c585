#include "kernels/cuda/sm90/attention_plan.h"

namespace dietmt::kernels {
namespace {

/// The vectors of all heads: width, heads, tokens. A block copies only boxes in which a sentence
/// has tokens, and the copy engine reads nothing beyond the tensor's rows.
TensorMap map_of(const HeadRows& vectors, const AttentionSizes& sizes, int64_t rows) {
  if (rows == 0) return {};
  constexpr int64_t kElementBytes = 2;
  return encode_tensor_map(
      {.data = vectors.data,
       .type = sizes.type,
       .swizzle = Swizzle::k128Bytes,
       .sizes = {sizes.head_width, sizes.heads, rows},
       .strides = {sizes.head_width * kElementBytes, vectors.token_stride * kElementBytes},
       .box = {kBoxWidth, 1, kTileTokens}});
}

/// The kernels take a sentence at a time.
AttentionForward with_single_tiles(AttentionForward call) {
  call.sizes.device_query_tiles.packed = {};
  call.sizes.device_key_tiles.packed = {};
  return call;
}

}  // namespace

bool has_aligned_rows(const HeadRows& rows) {
  return reinterpret_cast<uintptr_t>(rows.data) % 16 == 0 && rows.token_stride % 8 == 0;
}

std::vector<std::string> reasons_against_warpgroups(const AttentionForward& call) {
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
  return {plan_forward(with_single_tiles(call), nullptr).arguments,
          map_of(call.queries, sizes, sizes.query_rows), map_of(call.keys, sizes, sizes.key_rows),
          map_of(call.values, sizes, sizes.key_rows)};
}

WarpgroupBackwardPlan plan_warpgroup_backward(const AttentionBackward& call, char* workspace,
                                              const BackwardLimits& limits) {
  const AttentionForward& forward = call.forward;
  const AttentionSizes& sizes = forward.sizes;
  BackwardLimits of_warpgroups = limits;
  of_warpgroups.groups = kRows / kTileTokens;  // each warpgroup adds to its own partial sums
  AttentionBackward single = call;
  single.forward = with_single_tiles(forward);
  const BackwardPlan plan = plan_backward(single, workspace, of_warpgroups);
  WarpgroupBackwardPlan result;
  result.arguments.backward = plan.arguments;
  result.prepare = plan.prepare;
  result.reduce = plan.reduce;
  result.workspace_bytes = plan.workspace_bytes;
  if (workspace == nullptr) return result;
  result.arguments.queries = map_of(forward.queries, sizes, sizes.query_rows);
  result.arguments.keys = map_of(forward.keys, sizes, sizes.key_rows);
  result.arguments.values = map_of(forward.values, sizes, sizes.key_rows);
  result.arguments.grad_output = map_of(call.grad_output, sizes, sizes.query_rows);
  return result;
}

BlockIndex warpgroup_backward_grid(const BackwardArguments& arguments, bool split_keys) {
  const int parts = arguments.query_split.parts + arguments.key_split.parts * (split_keys ? 2 : 1);
  return {parts * static_cast<int>(arguments.call.forward.sizes.heads), 1, 1};
}

}  // namespace dietmt::kernels
