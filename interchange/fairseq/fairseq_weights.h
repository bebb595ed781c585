// The tensors of a fairseq checkpoint under the names of its newest version.
#pragma once

#include "interchange/foreign_tensors.h"

namespace dietmt::interchange {

/// Old versions have the projections of queries, keys and values in one tensor (in_proj_weight),
/// and number the norms of a layer (layer_norms.0). Leaves out second copies of tensors.
TensorsByName with_new_names(TensorsByName tensors);

/// Pads the matrices of the feed-forward blocks of a stack with zeros, which change nothing, up to
/// `width`. `stack`: "encoder" or "decoder".
void widen_feed_forward(const std::string& stack, int64_t width, TensorsByName& values);

}  // namespace dietmt::interchange
