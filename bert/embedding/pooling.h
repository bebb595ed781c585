// One vector for an input from those of its tokens.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "encoders/attention/packing.h"

namespace dietmt::bert {

enum class Pooling {
  kNone,   // all tokens
  kFirst,  // that of [CLS]
  kMean,   // the mean over all tokens, [CLS] and [SEP] among them
};

/// From "none", "cls" or "mean". Throws ConfigError.
Pooling parse_pooling(const std::string& name);

/// hidden: [N, D]. Returns [N, D] for kNone, else [B, D].
at::Tensor pool(const at::Tensor& hidden, const encoders::Packing& packing, Pooling pooling);

}  // namespace dietmt::bert
