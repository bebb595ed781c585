// Calls the row-wise kernels of the chosen instruction set.
#include "common/error.h"
#include "kernels/cpu/rowwise/levels.h"

namespace dietmt::kernels {

#define DIETMT_DECLARE(isa)                                                                \
  namespace isa {                                                                          \
  void add_norm_forward(const AddNormForward<float>& call);                                \
  void add_norm_forward(const AddNormForward<BFloat16>& call);                             \
  void add_norm_backward(const AddNormBackward<float>& call);                              \
  void add_norm_backward(const AddNormBackward<BFloat16>& call);                           \
  void dropout_add(const DropoutAdd<float>& call);                                         \
  void dropout_add(const DropoutAdd<BFloat16>& call);                                      \
  void dropout_mask(uint64_t key, double p, int64_t size, float* mask);                    \
  void probability_dropout_mask(uint64_t, double, int64_t, int64_t, float*);               \
  void cross_entropy(const CrossEntropy<float>& call);                                     \
  void cross_entropy(const CrossEntropy<BFloat16>& call);                                  \
  void rotate(const Rotate& call);                                                         \
  void layer_norm_rows(int64_t, int64_t, const float*, const float*, const float*, double, \
                       float*);                                                            \
  void rms_norm_rows(int64_t, int64_t, const float*, const float*, double, float*);        \
  void multiply_into(int64_t, const float*, float*);                                       \
  void ssru_step(const SsruStep& call);                                                    \
  int64_t next_above(const float*, int64_t, int64_t, float);                               \
  void add_probabilities(const float*, int64_t, float, float*);                            \
  }
DIETMT_DECLARE(generic)
DIETMT_DECLARE(avx2)
DIETMT_DECLARE(avx512)
#undef DIETMT_DECLARE

#define DIETMT_LEVEL(isa)                                                                          \
  RowwiseKernels {                                                                                 \
    find_instruction_set(#isa), isa::add_norm_forward, isa::add_norm_forward,                      \
        isa::add_norm_backward, isa::add_norm_backward, isa::dropout_add, isa::dropout_add,        \
        isa::dropout_mask, isa::probability_dropout_mask, isa::cross_entropy, isa::cross_entropy,  \
        isa::rotate, isa::layer_norm_rows, isa::rms_norm_rows, isa::multiply_into, isa::ssru_step, \
        isa::next_above, isa::add_probabilities                                                    \
  }

std::span<const RowwiseKernels> rowwise_levels() {
  static const RowwiseKernels levels[] = {DIETMT_LEVEL(generic), DIETMT_LEVEL(avx2),
                                          DIETMT_LEVEL(avx512)};
  return levels;
}
#undef DIETMT_LEVEL

namespace {

const RowwiseKernels& chosen() {
  static const RowwiseKernels& level = best_level(rowwise_levels());
  return level;
}

}  // namespace

void add_norm_forward(const AddNormForward<float>& call) { chosen().add_norm_forward(call); }
void add_norm_forward(const AddNormForward<BFloat16>& call) {
  chosen().narrow_add_norm_forward(call);
}
void add_norm_backward(const AddNormBackward<float>& call) { chosen().add_norm_backward(call); }
void add_norm_backward(const AddNormBackward<BFloat16>& call) {
  chosen().narrow_add_norm_backward(call);
}
void dropout_add(const DropoutAdd<float>& call) { chosen().dropout_add(call); }
void dropout_add(const DropoutAdd<BFloat16>& call) { chosen().narrow_dropout_add(call); }
void dropout_mask(uint64_t key, double p, int64_t size, float* mask) {
  chosen().dropout_mask(key, p, size, mask);
}
void probability_dropout_mask(uint64_t key, double p, int64_t rows, int64_t columns, float* mask) {
  chosen().probability_dropout_mask(key, p, rows, columns, mask);
}
void cross_entropy(const CrossEntropy<float>& call) { chosen().cross_entropy(call); }
void cross_entropy(const CrossEntropy<BFloat16>& call) { chosen().narrow_cross_entropy(call); }
void rotate(const Rotate& call) {
  if (call.type == ElementType::kHalf)
    throw Error("rotary positions in fp16 need a GPU: use fp32 or bf16 on the CPU");
  chosen().rotate(call);
}
void layer_norm_rows(int64_t rows, int64_t width, const float* x, const float* gamma,
                     const float* beta, double epsilon, float* y) {
  chosen().layer_norm_rows(rows, width, x, gamma, beta, epsilon, y);
}
void rms_norm_rows(int64_t rows, int64_t width, const float* x, const float* gamma, double epsilon,
                   float* y) {
  chosen().rms_norm_rows(rows, width, x, gamma, epsilon, y);
}
void multiply_into(int64_t size, const float* y, float* x) { chosen().multiply_into(size, y, x); }
void ssru_step(const SsruStep& call) { chosen().ssru_step(call); }
int64_t next_above(const float* row, int64_t first, int64_t count, float limit) {
  return chosen().next_above(row, first, count, limit);
}
void add_probabilities(const float* row, int64_t count, float normalizer, float* sums) {
  chosen().add_probabilities(row, count, normalizer, sums);
}

}  // namespace dietmt::kernels
