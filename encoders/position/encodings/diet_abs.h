// The table and the options of DIET-ABS (diet_abs.cpp), for encodings that add the same product.
#pragma once

#include <optional>

#include "encoders/position/encoding_row.h"

namespace dietmt::encoders {

struct DietAbsOptions {
  std::optional<int64_t> rank = {};  // R; none: the head width
  Sharing sharing = Sharing::kNone;
};

/// N(0, 0.2/sqrt(R)): [L|1, H|1, rows, R], R = rank or the head width.
at::Tensor diet_abs_table(const DietAbsOptions& options, const EncodingContext& context,
                          int64_t rows);

/// The number of its elements, without making it.
double diet_abs_table_size(const DietAbsOptions& options, const EncodingContext& context,
                           int64_t rows);

/// The values of the options "rank" and "share".
DietAbsOptions diet_abs_options(const OptionValues& values);
EncodingOption rank_option();

}  // namespace dietmt::encoders
