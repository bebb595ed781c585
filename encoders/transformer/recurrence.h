// The simpler simple recurrent unit (Kim et al. 2019, "From Research to Production and Back:
// Ludicrously Fast Neural Machine Translation"), which takes the place of a decoder's
// self-attention: a step of decoding costs the same at every position.
//
//   f_t = sigmoid(x_t Wf^T + bf),  c_t = f_t * c_(t-1) + (1 - f_t) * (x_t W^T),  h_t = max(c_t, 0)
#pragma once

#include <torch/nn/module.h>

#include <cstdint>

#include "encoders/attention/packing.h"
#include "encoders/transformer/step_rows.h"

namespace dietmt::encoders {

class Recurrence : public torch::nn::Module {
 public:
  explicit Recurrence(int64_t width);

  /// x: [N, D]. Each sentence starts from zeros. Returns h, [N, D].
  at::Tensor forward(const at::Tensor& x, const Packing& packing) const;

  /// One step of cached decoding. x: [rows, D]; states: [slots, D]; each row reads the slot of
  /// its last token and writes its new slot. Returns h, [rows, D].
  at::Tensor step(const at::Tensor& x, at::Tensor& states, const StepRows& rows) const;

 private:
  struct Projected {
    at::Tensor candidate, forget;  // [N, D]
  };
  Projected project(const at::Tensor& x) const;

  at::Tensor input_weight_;  // [2D, D]: W, then Wf
  at::Tensor forget_bias_;   // [D]
};

/// The states c_t of packed sentences, with gradients. candidate, forget: [N, D], forget after its
/// sigmoid.
at::Tensor recurrent_states(const at::Tensor& candidate, const at::Tensor& forget,
                            const Packing& packing);

}  // namespace dietmt::encoders
