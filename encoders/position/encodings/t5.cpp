// T5 (Raffel et al. 2020, section 2.1): a learned number per head and bucket of offsets, added to
// the scores:
//
//   score[h,i,j] = q_i . k_j / sqrt(Dh) + b[h, bucket(j - i)]
//
// Each short offset has its own bucket. Beyond them buckets widen logarithmically up to `distance`,
// and the last one holds all longer offsets. Encoders give half of the buckets to each direction;
// decoders give all of them to the past. T5 itself does not divide by sqrt(Dh): scaled = false.
// By its paper, for inputs that may be longer than in training.
#include "encoders/position/encodings/t5.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "common/error.h"
#include "encoders/position/encodings/encoding_table.h"

namespace dietmt::encoders {
namespace {

/// The bucket of a distance n >= 0 among `buckets`: the first half hold one distance each, bucket
/// half + r starts at half * (distance / half)^(r / half).
int64_t distance_bucket(int64_t n, int64_t buckets, int64_t distance) {
  const int64_t half = buckets / 2;
  if (n < half) return n;
  const double wide = static_cast<double>(buckets - half);
  const double octaves = std::log(static_cast<double>(n) / static_cast<double>(half)) /
                         std::log(static_cast<double>(distance) / static_cast<double>(half));
  // Where a bucket starts at a whole number the quotient is exact except for its last bits.
  constexpr double kRounding = 1e-9;
  const auto r = static_cast<int64_t>(wide * octaves + kRounding);
  return std::min(half + r, buckets - 1);
}

}  // namespace

int64_t t5_bucket(int64_t offset, bool one_directional, int64_t buckets, int64_t distance) {
  if (one_directional) return distance_bucket(std::max<int64_t>(-offset, 0), buckets, distance);
  const int64_t side = buckets / 2;
  return (offset > 0 ? side : 0) + distance_bucket(std::abs(offset), side, distance);
}

T5Buckets::T5Buckets(bool one_directional, int64_t buckets, int64_t distance) {
  for (int64_t offset = -distance; offset <= distance; ++offset)
    buckets_.push_back(t5_bucket(offset, one_directional, buckets, distance));
}

at::Tensor T5Buckets::by_offset(const at::Tensor& table) const {
  if (table.is_cpu()) return table.index_select(-1, at::tensor(buckets_, at::kLong));
  // A product, because the gradient of index_select() adds in any order there.
  const int64_t buckets = table.size(-1);
  const auto options = table.options().requires_grad(false);
  return at::matmul(table, choices_.rows(0, buckets, options, [&](int64_t, int64_t rows) {
    return at::one_hot(at::tensor(buckets_, at::kLong), rows).t();
  }));
}

void require_t5_options(const T5Options& options, bool one_directional) {
  const int64_t per_side = one_directional ? options.buckets : options.buckets / 2;
  if (options.buckets % 2 != 0) throw ConfigError("buckets must be even");
  if (options.distance <= per_side / 2)
    throw ConfigError("distance must exceed " + std::to_string(per_side / 2) +
                      ", the number of distances with their own bucket");
}

EncodingOption distance_option(int64_t default_value) {
  return number_option("distance", default_value, 2, "offsets beyond it share one bucket");
}

namespace {

class T5 : public PositionEncoding {
 public:
  T5(const T5Options& options, const EncodingContext& context);
  void lower(const Extent& extent, LayerTerms& terms) const override;

 private:
  bool scaled_;
  T5Buckets buckets_;
  at::Tensor table_;  // b: [L|1, H|1, buckets], initially N(0, 0.02^2)
};

T5::T5(const T5Options& options, const EncodingContext& context)
    : scaled_(options.scaled), buckets_(context.causal(), options.buckets, options.distance) {
  table_ = register_parameter(
      "table", empty_table(options.sharing, context, {options.buckets}).normal_(0.0, 0.02));
}

void T5::lower(const Extent&, LayerTerms& terms) const {
  terms.set(&ScoreTerms::offset_bias, buckets_.by_offset(table_));
  if (!scaled_) terms.set_content_scale(1.0);
}

T5Options t5_options(const OptionValues& values) {
  return {.buckets = values.number("buckets"),
          .distance = values.number("distance"),
          .scaled = values.flag("scaled"),
          .sharing = sharing_of(values)};
}

void check_t5(const OptionValues& values, const EncodingContext& context) {
  require_t5_options(t5_options(values), context.causal());
}

double t5_parameters(const OptionValues& values, const EncodingContext& context) {
  const T5Options options = t5_options(values);
  return table_size(options.sharing, context, {options.buckets});
}

}  // namespace

EncodingRow t5_row() {
  constexpr T5Options kDefaults;
  return {
      .name = "t5",
      .formula = "q_i.k_j/sqrt(Dh) + b[h,bucket(j-i)]",
      .position_only = true,
      .options = {number_option("buckets", kDefaults.buckets, kFewestBuckets, "number of buckets"),
                  distance_option(kDefaults.distance),
                  flag_option("scaled", kDefaults.scaled, "divide q.k by sqrt(Dh)"),
                  share_option(kDefaults.sharing)},
      .check = check_t5,
      .parameters = t5_parameters,
      .make = make_encoding<T5, t5_options>};
}

}  // namespace dietmt::encoders
