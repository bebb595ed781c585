// DIET-ABS (Chen et al. 2021, "A Simple and Effective Positional Encoding for Transformers"): a
// matrix of low rank over absolute positions for each head, added to the scaled scores:
//
//   score[h,i,j] = q_i . k_j / sqrt(Dh) + P_Q[h,i] . P_K[h,j]
//
// The product is not scaled. In cross-attention P_Q belongs to target and P_K to source positions.
// The paper gives no initial values. With a deviation of 0.02 the product would start at 1/50 of
// the size of TUPE's position term, so both start from N(0, 0.2/sqrt(R)), which gives the product a
// standard deviation of 0.2.
#include "encoders/position/encodings/diet_abs.h"

#include <ATen/ATen.h>

#include <cmath>

#include "encoders/position/encodings/encoding_table.h"

namespace dietmt::encoders {
namespace {

class DietAbs : public PositionEncoding {
 public:
  DietAbs(const DietAbsOptions& options, const EncodingContext& context);
  void lower(const Extent& extent, LayerTerms& terms) const override;
  int64_t max_length() const override;
  double products_per_pair() const override {
    return static_cast<double>(query_table_.size(0) * query_table_.size(1));
  }

 private:
  at::Tensor query_table_;  // P_Q: [L|1, H|1, max_positions, R]
  at::Tensor key_table_;    // P_K: [L|1, H|1, max_positions, R]
};

DietAbs::DietAbs(const DietAbsOptions& options, const EncodingContext& context) {
  query_table_ =
      register_parameter("queries", diet_abs_table(options, context, context.max_positions));
  key_table_ = register_parameter("keys", diet_abs_table(options, context, context.max_positions));
}

double diet_abs_parameters(const OptionValues& values, const EncodingContext& context) {
  return 2.0 * diet_abs_table_size(diet_abs_options(values), context, context.max_positions);
}

int64_t DietAbs::max_length() const { return query_table_.size(2); }

void DietAbs::lower(const Extent& extent, LayerTerms& terms) const {
  require_position("diet-abs", reach(extent));
  terms.set(&ScoreTerms::query_features, query_table_.narrow(2, 0, extent.queries));
  terms.set(&ScoreTerms::key_features, key_table_.narrow(2, 0, extent.keys));
}

}  // namespace

double diet_abs_table_size(const DietAbsOptions& options, const EncodingContext& context,
                           int64_t rows) {
  return table_size(options.sharing, context, {rows, options.rank.value_or(context.head_width)});
}

at::Tensor diet_abs_table(const DietAbsOptions& options, const EncodingContext& context,
                          int64_t rows) {
  const int64_t rank = options.rank.value_or(context.head_width);
  const double deviation = std::sqrt(0.2 / std::sqrt(static_cast<double>(rank)));
  return empty_table(options.sharing, context, {rows, rank}).normal_(0.0, deviation);
}

DietAbsOptions diet_abs_options(const OptionValues& values) {
  return {.rank = values.number_or_none("rank"), .sharing = sharing_of(values)};
}

EncodingOption rank_option() {
  return number_or_option("rank", "head-width", DietAbsOptions().rank, 1, "numbers per position");
}

EncodingRow diet_abs_row() {
  return {.name = "diet-abs",
          .formula = "q_i.k_j/sqrt(Dh) + P_Q[h,i].P_K[h,j]",
          .sites = {.cross = true},
          .position_only = true,
          .options = {rank_option(), share_option(DietAbsOptions().sharing)},
          .parameters = diet_abs_parameters,
          .make = make_encoding<DietAbs, diet_abs_options>};
}

}  // namespace dietmt::encoders
