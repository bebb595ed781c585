// Position 0 untied from the other positions (Ke et al. 2021, "Rethinking Positional Encoding in
// Language Pre-training", eq. 9), for an encoding that adds v[h,i,j] to the scores:
//
//   reset(v)[h,i,j] = theta[h,1]  for i = 0,   theta[h,2]  for j = 0 < i,   else v[h,i,j]
//
// For encoders whose inputs start with a summary token such as BERT's [CLS]. theta_1 shifts a whole
// row, which the softmax undoes. v may contain products of words with vectors for offsets; vectors
// that are added to the values are no scores and stay.
#pragma once

#include <memory>

#include "encoders/position/position_encoding.h"

namespace dietmt::encoders {

/// Throws ConfigError unless the site is the self-attention of an encoder.
void require_untied_summary(const EncodingContext& context);

/// Throws ConfigError unless position 0 holds a summary token.
void require_summary_token(const EncodingContext& context);

/// Row 0 and column 0 of `bias` [H, T, S] replaced by those of `thetas` [H, 2].
at::Tensor reset_summary(const at::Tensor& bias, const at::Tensor& thetas);

/// The number of each pair's offset: [H|1, 2C+1] -> [H|1, T, S].
at::Tensor offsets_of_pairs(const at::Tensor& table, const Extent& extent);

/// theta of each layer and head: [L|1, H|1, 2], initially N(0, 0.02^2).
at::Tensor summary_table(Sharing sharing, const EncodingContext& context);
double summary_size(Sharing sharing, const EncodingContext& context);

/// `encoding` with reset(): its position terms become one table of pairs, and its relative keys and
/// queries are untied_vectors. No other term may depend on words. The caller registers `encoding`
/// and `thetas`.
std::shared_ptr<PositionEncoding> untied_from_summary(std::shared_ptr<PositionEncoding> encoding,
                                                      const at::Tensor& thetas, int64_t heads);

}  // namespace dietmt::encoders
