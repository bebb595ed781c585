// Dropout, residual and norm of fp32 and bf16 rows. Compiled once for each instruction set, in
// namespace dietmt::kernels::DIETMT_ISA.
#include <algorithm>
#include <cmath>
#include <memory>

#include "kernels/cpu/buffer.h"
#include "kernels/cpu/rowwise/entry_points.h"
#include "kernels/cpu/vector.h"

namespace dietmt::kernels::DIETMT_ISA {
namespace {

/// A sum of vectors in two chains of additions, which the processor runs side by side.
class Sum {
 public:
  void add(Vector x) {
    const Vector last = even_ + x;
    even_ = odd_;
    odd_ = last;
  }
  float of_lanes() const { return sum_of(even_ + odd_); }

 private:
  Vector even_{}, odd_{};
};

template <typename Number>
const Number* at(const void* numbers, int64_t place) {
  return static_cast<const Number*>(numbers) + place;
}
template <typename Number>
Number* at(void* numbers, int64_t place) {
  return static_cast<Number*>(numbers) + place;
}

// `sum`: [width padded to whole vectors], for the sums of the row.
template <typename Number>
void forward_row(const AddNorm& call, int64_t r, const DropoutLanes& lanes, float* sum) {
  const int64_t begin = r * call.width;
  const auto width = static_cast<float>(call.width);
  Sum total;
  for_vectors(call.width, [&](int64_t c, int64_t count) {
    Vector x = load(at<Number>(call.residual, begin + c), count);
    if (call.branch != nullptr)
      x += lanes.dropped(load(at<Number>(call.branch, begin + c), count), begin + c);
    store(sum + c, x);
    total.add(x);  // zeros past the end
  });
  const float mean = call.beta != nullptr ? total.of_lanes() / width : 0.0f;
  Sum squares;
  for_vectors(call.width, [&](int64_t c, int64_t count) {
    const Vector centred = first_lanes(load(sum + c) - mean, count, 0.0f);
    squares.add(centred * centred);
  });
  const float inverse_std =
      1.0f / std::sqrt(squares.of_lanes() / width + static_cast<float>(call.epsilon));
  if (call.inverse_std != nullptr) call.inverse_std[r] = inverse_std;
  for_vectors(call.width, [&](int64_t c, int64_t count) {
    const Vector x = (load(sum + c) - mean) * inverse_std;
    if (call.normalized != nullptr) store(at<Number>(call.normalized, begin + c), x, count);
    Vector y = x * load(call.gamma + c, count);
    if (call.beta != nullptr) y += load(call.beta + c, count);
    store(at<Number>(call.output, begin + c), y, count);
  });
}

// The normalized sum of a row again, from its output.
template <typename Number>
void renormalize_row(const AddNormBackward& call, int64_t begin, Number* row) {
  for_vectors(call.width, [&](int64_t c, int64_t count) {
    Vector x = load(at<Number>(call.output, begin + c), count);
    if (call.beta != nullptr) x -= load(call.beta + c, count);
    store(row + c, x / load(call.gamma + c, count), count);
  });
}

// Adds to the gradients of gamma and, if there is one, beta.
template <typename Number>
void backward_row(const AddNormBackward& call, int64_t r, const DropoutLanes& lanes,
                  float* gamma_sum, float* beta_sum) {
  const int64_t begin = r * call.width;
  const Number* const grad = at<Number>(call.grad_output, begin);
  const Number* normalized = at<Number>(call.normalized, begin);
  if (call.normalized == nullptr) {
    // Stays in the cache until the gradient takes its place.
    Number* const row = at<Number>(call.grad_residual, begin);
    renormalize_row(call, begin, row);
    normalized = row;
  }
  Vector grads{}, products{};
  for_vectors(call.width, [&](int64_t c, int64_t count) {
    const Vector g = load(grad + c, count), x = load(normalized + c, count);
    const Vector scaled = g * load(call.gamma + c, count);
    grads += scaled;
    products += scaled * x;
    store(gamma_sum + c, load(gamma_sum + c, count) + g * x, count);
    store(beta_sum + c, load(beta_sum + c, count) + g, count);
  });
  const auto width = static_cast<float>(call.width);
  const float mean_grad = call.beta != nullptr ? sum_of(grads) / width : 0.0f;
  const float mean_product = sum_of(products) / width;
  const float inverse_std = call.inverse_std[r];
  for_vectors(call.width, [&](int64_t c, int64_t count) {
    const Vector scaled = load(grad + c, count) * load(call.gamma + c, count);
    const Vector of_sum =
        inverse_std * (scaled - mean_grad - load(normalized + c, count) * mean_product);
    store(at<Number>(call.grad_residual, begin + c), of_sum, count);
    if (call.grad_branch != nullptr)
      store(at<Number>(call.grad_branch, begin + c), lanes.dropped(of_sum, begin + c), count);
  });
}

template <typename Number>
void forward(const AddNorm& call) {
  const DropoutLanes lanes = dropout_lanes(call.dropout);
  ThreadBuffers sums(padded(call.width));
#pragma omp parallel
  {
    float* const sum = sums.own();
#pragma omp for schedule(static)
    for (int64_t r = 0; r < call.rows; ++r) forward_row<Number>(call, r, lanes, sum);
  }
}

// Gradients of gamma and beta are summed over fixed blocks of rows, then over the blocks in order:
// the same result for any number of threads.
template <typename Number>
void backward(const AddNormBackward& call) {
  constexpr int64_t kRowsPerBlock = 256;
  const DropoutLanes lanes = dropout_lanes(call.dropout);
  const int64_t width = call.width;
  const int64_t blocks = (call.rows + kRowsPerBlock - 1) / kRowsPerBlock;
  const std::unique_ptr<float[]> partial(new float[static_cast<size_t>(2 * blocks * width)]());
#pragma omp parallel for schedule(static)
  for (int64_t block = 0; block < blocks; ++block) {
    float* const gamma_sum = partial.get() + 2 * block * width;
    const int64_t end = std::min(call.rows, (block + 1) * kRowsPerBlock);
    for (int64_t r = block * kRowsPerBlock; r < end; ++r)
      backward_row<Number>(call, r, lanes, gamma_sum, gamma_sum + width);
  }
  const auto sum_blocks = [&](const float* first, float* sums) {
    std::fill(sums, sums + width, 0.0f);
    for (int64_t block = 0; block < blocks; ++block)
      for (int64_t c = 0; c < width; ++c) sums[c] += first[2 * block * width + c];
  };
  sum_blocks(partial.get(), call.grad_gamma);
  if (call.beta != nullptr) sum_blocks(partial.get() + width, call.grad_beta);
}

void add_norm(const AddNorm& call) {
  call.type == ElementType::kFloat ? forward<float>(call) : forward<BFloat16>(call);
}

void add_norm_backward(const AddNormBackward& call) {
  call.type == ElementType::kFloat ? backward<float>(call) : backward<BFloat16>(call);
}

}  // namespace

extern const RowwiseKernels kRowwiseKernels = {
    .instruction_set = DIETMT_ISA_NAME,
    .add_norm = add_norm,
    .add_norm_backward = add_norm_backward,
    .activate = activate,
    .cross_entropy = {cross_entropy, cross_entropy},
    .dropout_mask = dropout_mask,
    .probability_dropout_mask = probability_dropout_mask,
    .rotate = rotate,
    .layer_norm_rows = layer_norm_rows,
    .rms_norm_rows = rms_norm_rows,
    .multiply_into = multiply_into,
    .ssru_step = ssru_step,
    .next_above = next_above,
    .add_probabilities = add_probabilities,
};

}  // namespace dietmt::kernels::DIETMT_ISA
