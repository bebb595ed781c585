// Chooses the kernels' instruction set once, at the first call.
#include "kernels/attention.h"
#include "kernels/dropout.h"
#include "kernels/inference_rows.h"
#include "kernels/rowwise.h"
#include "kernels/step_attention.h"

namespace dietmt::kernels {

#define DIETMT_DECLARE(isa)                                                                \
  namespace isa {                                                                          \
  void add_norm_forward(const AddNormForward& call);                                       \
  void add_norm_backward(const AddNormBackward& call);                                     \
  void dropout_add(const DropoutAdd& call);                                                \
  void dropout_mask(uint64_t key, double p, int64_t size, float* mask);                    \
  void cross_entropy(const CrossEntropy<float>& call);                                     \
  void cross_entropy(const CrossEntropy<BFloat16>& call);                                  \
  void attention_forward(const AttentionForward& call);                                    \
  void attention_backward(const AttentionBackward& call);                                  \
  int64_t step_attention_workspace(const StepAttention& call);                             \
  void step_attention(CacheType, std::span<const StepAttention>, float*);                  \
  void cache_row(CacheType, int64_t, int64_t, const float*, void*);                        \
  void cache_column(CacheType, int64_t, const float*, int64_t, void*);                     \
  void layer_norm_rows(int64_t, int64_t, const float*, const float*, const float*, double, \
                       float*);                                                            \
  void multiply_into(int64_t, const float*, float*);                                       \
  int64_t next_above(const float*, int64_t, int64_t, float);                               \
  void add_probabilities(const float*, int64_t, float, float*);                            \
  }
DIETMT_DECLARE(generic)
DIETMT_DECLARE(avx2)
DIETMT_DECLARE(avx512)
#undef DIETMT_DECLARE

namespace {

struct Table {
  void (*add_norm_forward)(const AddNormForward&);
  void (*add_norm_backward)(const AddNormBackward&);
  void (*dropout_add)(const DropoutAdd&);
  void (*dropout_mask)(uint64_t, double, int64_t, float*);
  void (*cross_entropy)(const CrossEntropy<float>&);
  void (*narrow_cross_entropy)(const CrossEntropy<BFloat16>&);
  void (*attention_forward)(const AttentionForward&);
  void (*attention_backward)(const AttentionBackward&);
  int64_t (*step_attention_workspace)(const StepAttention&);
  void (*step_attention)(CacheType, std::span<const StepAttention>, float*);
  void (*cache_row)(CacheType, int64_t, int64_t, const float*, void*);
  void (*cache_column)(CacheType, int64_t, const float*, int64_t, void*);
  void (*layer_norm_rows)(int64_t, int64_t, const float*, const float*, const float*, double,
                          float*);
  void (*multiply_into)(int64_t, const float*, float*);
  int64_t (*next_above)(const float*, int64_t, int64_t, float);
  void (*add_probabilities)(const float*, int64_t, float, float*);
};

#define DIETMT_TABLE(isa)                                                                        \
  Table {                                                                                        \
    isa::add_norm_forward, isa::add_norm_backward, isa::dropout_add, isa::dropout_mask,          \
        isa::cross_entropy, isa::cross_entropy, isa::attention_forward, isa::attention_backward, \
        isa::step_attention_workspace, isa::step_attention, isa::cache_row, isa::cache_column,   \
        isa::layer_norm_rows, isa::multiply_into, isa::next_above, isa::add_probabilities        \
  }

const Table& table() {
  static const Table chosen = [] {
    __builtin_cpu_init();
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
    if (avx2 && avx512) return DIETMT_TABLE(avx512);
    if (avx2) return DIETMT_TABLE(avx2);
    return DIETMT_TABLE(generic);
  }();
  return chosen;
}
#undef DIETMT_TABLE

}  // namespace

void add_norm_forward(const AddNormForward& call) { table().add_norm_forward(call); }
void add_norm_backward(const AddNormBackward& call) { table().add_norm_backward(call); }
void dropout_add(const DropoutAdd& call) { table().dropout_add(call); }
void dropout_mask(uint64_t key, double p, int64_t size, float* mask) {
  table().dropout_mask(key, p, size, mask);
}
void cross_entropy(const CrossEntropy<float>& call) { table().cross_entropy(call); }

void cross_entropy(const CrossEntropy<BFloat16>& call) { table().narrow_cross_entropy(call); }
void attention_forward_cpu(const AttentionForward& call) { table().attention_forward(call); }
void attention_backward_cpu(const AttentionBackward& call) { table().attention_backward(call); }
int64_t step_attention_workspace(const StepAttention& call) {
  return table().step_attention_workspace(call);
}
void step_attention(CacheType cache, std::span<const StepAttention> calls, float* workspace) {
  table().step_attention(cache, calls, workspace);
}
void cache_row(CacheType type, int64_t heads, int64_t head_width, const float* from, void* row) {
  table().cache_row(type, heads, head_width, from, row);
}
void cache_column(CacheType type, int64_t keys, const float* from, int64_t stride, void* column) {
  table().cache_column(type, keys, from, stride, column);
}
void layer_norm_rows(int64_t rows, int64_t width, const float* x, const float* gamma,
                     const float* beta, double epsilon, float* y) {
  table().layer_norm_rows(rows, width, x, gamma, beta, epsilon, y);
}
void multiply_into(int64_t size, const float* y, float* x) { table().multiply_into(size, y, x); }
int64_t next_above(const float* row, int64_t first, int64_t count, float limit) {
  return table().next_above(row, first, count, limit);
}
void add_probabilities(const float* row, int64_t count, float normalizer, float* sums) {
  table().add_probabilities(row, count, normalizer, sums);
}

}  // namespace dietmt::kernels
