// The result of a block of a Transformer layer, before it joins the residual connection.
#pragma once

#include <ATen/core/Tensor.h>

#include <utility>

namespace dietmt::encoders {

/// rows + bias. On a device the operation that reads a product adds the product's bias, because it
/// passes over the rows anyway; on the CPU products have added it.
struct Branch {
  Branch(at::Tensor complete) : rows(std::move(complete)) {}  // NOLINT: a complete result
  Branch(at::Tensor product, at::Tensor missing)
      : rows(std::move(product)), bias(std::move(missing)) {}

  at::Tensor rows;  // [N, D]
  at::Tensor bias;  // [D], or undefined: nothing is missing
};

/// A branch of x and, in `x`, the same x for the operation that also reads it: the residual
/// connection. The product that gives the branch's gradient of x adds to the other one's.
struct BranchAndResidual {
  Branch branch;
  at::Tensor x;
};

}  // namespace dietmt::encoders
