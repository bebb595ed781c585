// Untied positions (Ke et al. 2021, "Rethinking Positional Encoding in Language Pre-training",
// TUPE): positions have their own projections and meet words only in the sum,
//
//   score[h,i,j] = q_i . k_j / sqrt(2 Dh) + reset(u_i . w_j / sqrt(2 Dh) [+ b[h, j - i]])
//   u = LN(p) U^Q,  w = LN(p) U^K, split into heads
//
// TUPE-A has no b; TUPE-R adds it, T5's buckets in the authors' code. Untied from a summary token
// at position 0 (BERT's [CLS]), reset() replaces row 0 by theta_1 and the rest of column 0 by
// theta_2 (summary_reset.h), themselves products of two more positions. With buckets, b is added
// outside the reset and has its own entry for each of the two; otherwise it is inside, as in the
// paper. All layers share everything. theta_1 is kept for compatibility with the authors'
// checkpoints.
//
// Section 5 names attempts that gave little: b[h, o] = (r_o F^Q) . (r_o F^K) with a vector r_o for
// each offset (factors = true), and free numbers for each pair (tupe_free.cpp).
//
// With reset() the scores are lowered to one table of pairs, without it to features and an offset
// bias, which packed models can store.

#include <ATen/ATen.h>

#include <cmath>
#include <optional>

#include "common/error.h"
#include "encoders/position/encodings/encoding_table.h"
#include "encoders/position/encodings/t5.h"
#include "encoders/position/summary_reset.h"
#include "encoders/position/table_cache.h"

namespace dietmt::encoders {
namespace {

enum class SummaryPosition {
  kAuto,    // untied if the model has such a token
  kUntied,  // reset() as above
  kTied,    // no reset: position 0 is like any other
};

enum class TupeBias { kNone, kOffsets, kBuckets, kFactors };

struct TupeOptions {
  SummaryPosition summary = SummaryPosition::kAuto;
  bool projection_bias = false;  // of U^Q and U^K, as in the authors' code
  TupeBias bias = TupeBias::kNone;
  int64_t buckets = T5Options().buckets;    // of kBuckets
  int64_t distance = T5Options().distance;  // of kBuckets
};

class Tupe : public PositionEncoding {
 public:
  Tupe(const TupeOptions& options, const EncodingContext& context);
  void lower(const Extent& extent, LayerTerms& terms) const override;
  int64_t max_length() const override;
  double kept_per_pair() const override { return untied() ? static_cast<double>(heads_) : 0.0; }
  double products_per_pair() const override { return untied() ? 0.0 : static_cast<double>(heads_); }

 private:
  bool untied() const { return summary_.defined(); }

  /// LN(rows) times both projections: two of [H, rows, Dh].
  std::pair<at::Tensor, at::Tensor> project(const at::Tensor& query_rows,
                                            const at::Tensor& key_rows) const;
  /// b of the offsets: [H, 2C+1]. Not with buckets.
  at::Tensor relative_numbers(const Extent& extent) const;
  /// b of every pair, in buckets with their own entries for [CLS]: [H, T, S].
  at::Tensor bucket_bias(const Extent& extent) const;
  /// Buckets of the offsets -reached .. reached.
  at::Tensor buckets_by_offset(int64_t reached, const at::TensorOptions& options) const;

  TupeOptions options_;
  int64_t heads_;
  int64_t head_width_;
  bool one_directional_;
  at::Tensor positions_;         // p: [max_positions, D], initially N(0, 0.02^2)
  at::Tensor summary_;           // positions of theta_1, theta_2: [2, D], the same; only if untied
  at::Tensor norm_weight_;       // [D]
  at::Tensor norm_bias_;         // [D]
  at::Tensor query_projection_;  // U^Q: [D, H Dh], N(0, 0.02^2)
  at::Tensor key_projection_;    // U^K: [D, H Dh], the same
  at::Tensor query_bias_;        // [H Dh], zeros, or undefined
  at::Tensor key_bias_;          // [H Dh], zeros, or undefined
  std::optional<T5Buckets> tied_buckets_;  // without reset()
  TableCache buckets_;   // with it: [max. distance + 1, 2], of offsets d and -d - 1
  at::Tensor relative_;  // b: [H, 2 max_positions - 1] or [H, buckets (+ 1 if untied)]
  at::Tensor offsets_;   // r: [2 max_positions - 1, D], N(0, 0.02^2), with factors in place of b
  at::Tensor offset_query_projection_;  // F^Q: [D, H Dh], the same
  at::Tensor offset_key_projection_;    // F^K: [D, H Dh], the same
};

at::Tensor normal(at::IntArrayRef sizes) { return at::empty(sizes).normal_(0.0, 0.02); }

bool is_untied(const TupeOptions& options, const EncodingContext& context) {
  if (options.summary != SummaryPosition::kAuto) return options.summary == SummaryPosition::kUntied;
  return context.starts_with_summary && !context.causal();
}

Tupe::Tupe(const TupeOptions& options, const EncodingContext& context)
    : options_(options),
      heads_(context.heads),
      head_width_(context.head_width),
      one_directional_(context.causal()) {
  const int64_t width = context.model_width;
  const int64_t projected = heads_ * head_width_;
  positions_ = register_parameter("positions", normal({context.max_positions, width}));
  if (is_untied(options, context)) summary_ = register_parameter("summary", normal({2, width}));
  norm_weight_ = register_parameter("norm_weight", at::ones({width}));
  norm_bias_ = register_parameter("norm_bias", at::zeros({width}));
  query_projection_ = register_parameter("query_projection", normal({width, projected}));
  key_projection_ = register_parameter("key_projection", normal({width, projected}));
  if (options.projection_bias) {
    query_bias_ = register_parameter("query_bias", at::zeros({projected}));
    key_bias_ = register_parameter("key_bias", at::zeros({projected}));
  }
  if (options.bias == TupeBias::kOffsets)
    relative_ = register_parameter("relative", normal({heads_, 2 * context.max_positions - 1}));
  if (options.bias == TupeBias::kFactors) {
    offsets_ = register_parameter("offsets", normal({2 * context.max_positions - 1, width}));
    offset_query_projection_ =
        register_parameter("offset_query_projection", normal({width, projected}));
    offset_key_projection_ =
        register_parameter("offset_key_projection", normal({width, projected}));
  }
  if (options.bias == TupeBias::kBuckets && !untied())
    tied_buckets_.emplace(one_directional_, options.buckets, options.distance);
  if (options.bias == TupeBias::kBuckets)
    relative_ = register_parameter("relative", normal({heads_, options.buckets + untied()}));
}

int64_t Tupe::max_length() const { return positions_.size(0); }

std::pair<at::Tensor, at::Tensor> Tupe::project(const at::Tensor& query_rows,
                                                const at::Tensor& key_rows) const {
  constexpr double kEpsilon = 1e-5;
  const auto projected = [&](const at::Tensor& rows, const at::Tensor& weight,
                             const at::Tensor& bias) {
    const at::Tensor normed =
        at::layer_norm(rows, {rows.size(1)}, norm_weight_, norm_bias_, kEpsilon);
    at::Tensor product = at::matmul(normed, weight);
    if (bias.defined()) product = product + bias;
    return product.unflatten(1, {heads_, head_width_}).transpose(0, 1);
  };
  return {projected(query_rows, query_projection_, query_bias_),
          projected(key_rows, key_projection_, key_bias_)};
}

at::Tensor Tupe::relative_numbers(const Extent& extent) const {
  if (options_.bias == TupeBias::kOffsets) return relative_;
  const int64_t reached = reach(extent);
  const at::Tensor rows = offsets_.narrow(0, (offsets_.size(0) - 1) / 2 - reached, 2 * reached + 1);
  const auto projected = [&](const at::Tensor& weight) {
    return at::matmul(rows, weight).unflatten(1, {heads_, head_width_});  // [2C+1, H, Dh]
  };
  return (projected(offset_query_projection_) * projected(offset_key_projection_)).sum(-1).t();
}

at::Tensor Tupe::bucket_bias(const Extent& extent) const {
  const auto options = relative_.options().dtype(at::kLong).requires_grad(false);
  const at::Tensor i = at::arange(extent.queries, options).unsqueeze(1);
  const at::Tensor offsets = at::arange(extent.keys, options) - i;  // [T, S]
  const at::Tensor index =
      buckets_by_offset(reach(extent), options).index({offsets + reach(extent)});
  index.select(1, 0).fill_(options_.buckets);
  // T5 never uses the bucket of a later key at distance 0.
  index.select(0, 0).fill_(options_.buckets / 2);
  if (!relative_.is_cpu()) return table_rows(relative_.t(), index).permute({2, 0, 1});
  return relative_.index_select(1, index.flatten()).view({heads_, extent.queries, extent.keys});
}

at::Tensor Tupe::buckets_by_offset(int64_t reached, const at::TensorOptions& options) const {
  const auto bucket = [&](int64_t offset) {
    return t5_bucket(offset, one_directional_, options_.buckets, options_.distance);
  };
  const at::Tensor pairs = buckets_.rows(0, reached + 1, options, [&](int64_t, int64_t count) {
    std::vector<int64_t> both;
    for (int64_t d = 0; d < count; ++d) both.insert(both.end(), {bucket(d), bucket(-d - 1)});
    return at::tensor(both, at::kLong).view({count, 2});
  });
  const at::Tensor before = pairs.select(1, 1).narrow(0, 0, reached).flip(0);
  return at::cat({before, pairs.select(1, 0)});
}

void Tupe::lower(const Extent& extent, LayerTerms& terms) const {
  require_position("tupe", reach(extent));
  const double scale = 1.0 / std::sqrt(2.0 * static_cast<double>(head_width_));
  const auto [u, w] =
      project(positions_.narrow(0, 0, extent.queries), positions_.narrow(0, 0, extent.keys));
  terms.set_content_scale(scale);
  const bool has_numbers =
      options_.bias == TupeBias::kOffsets || options_.bias == TupeBias::kFactors;
  if (untied()) {
    at::Tensor bias = scale * at::matmul(u, w.transpose(1, 2));  // [H, T, S]
    if (has_numbers) bias = bias + offsets_of_pairs(relative_numbers(extent), extent);
    const auto [from, to] = project(summary_, summary_);
    bias = reset_summary(bias, scale * (from * to).sum(-1));
    if (options_.bias == TupeBias::kBuckets) bias = bias + bucket_bias(extent);
    terms.set(&ScoreTerms::position_bias, bias.unsqueeze(0));
    return;
  }
  terms.set(&ScoreTerms::query_features, (scale * u).unsqueeze(0));
  terms.set(&ScoreTerms::key_features, w.unsqueeze(0));
  if (options_.bias == TupeBias::kNone) return;
  const at::Tensor by_offset =
      has_numbers ? relative_numbers(extent) : tied_buckets_->by_offset(relative_);
  terms.set(&ScoreTerms::offset_bias, by_offset.unsqueeze(0));
}

constexpr std::array<Choice<SummaryPosition>, 3> kSummaryPositions = {
    {{"auto", SummaryPosition::kAuto},
     {"untied", SummaryPosition::kUntied},
     {"tied", SummaryPosition::kTied}}};

/// Those of TUPE-A and TUPE-R.
std::vector<EncodingOption> shared_options() {
  constexpr TupeOptions kDefaults;
  return {choice_option("cls", kSummaryPositions, kDefaults.summary,
                        "positions of [CLS]; auto: untied if the model has a [CLS] token"),
          flag_option("projection-bias", kDefaults.projection_bias, "add biases to U^Q and U^K")};
}

TupeOptions tupe_a_options(const OptionValues& values) {
  return {.summary = choice_of(values, "cls", kSummaryPositions),
          .projection_bias = values.flag("projection-bias")};
}

TupeOptions tupe_r_options(const OptionValues& values) {
  TupeOptions options = tupe_a_options(values);
  const std::optional<int64_t> buckets = values.number_or_none("buckets");
  options.bias = buckets ? TupeBias::kBuckets : TupeBias::kOffsets;
  if (values.flag("factors")) options.bias = TupeBias::kFactors;
  options.buckets = buckets.value_or(options.buckets);
  options.distance = values.number("distance");
  return options;
}

void check_tupe(const TupeOptions& options, const EncodingContext& context) {
  if (options.summary == SummaryPosition::kUntied) require_untied_summary(context);
  if (options.bias != TupeBias::kBuckets && options.distance != TupeOptions().distance)
    throw ConfigError("'distance' needs buckets");
  if (options.bias != TupeBias::kBuckets) return;
  const T5Options buckets{.buckets = options.buckets, .distance = options.distance};
  require_t5_options(buckets, context.causal());
}

double tupe_size(const TupeOptions& options, const EncodingContext& context) {
  const int64_t width = context.model_width;
  const int64_t summary = is_untied(options, context) ? 2 : 0;
  const int64_t vectors = context.max_positions + summary + 2;  // the last two of the norm
  const int64_t projections = 2 * (width + (options.projection_bias ? 1 : 0));
  const auto numbers = [&]() -> int64_t {  // of b, for each head
    switch (options.bias) {
      case TupeBias::kOffsets:
        return 2 * context.max_positions - 1;
      case TupeBias::kBuckets:
        return options.buckets + (summary > 0 ? 1 : 0);
      case TupeBias::kFactors:
        return 2 * width * context.head_width;  // F^Q and F^K
      case TupeBias::kNone:
        break;
    }
    return 0;
  };
  const int64_t offsets = options.bias == TupeBias::kFactors ? 2 * context.max_positions - 1 : 0;
  return static_cast<double>(width) * static_cast<double>(vectors + offsets) +
         static_cast<double>(context.heads) *
             static_cast<double>(context.head_width * projections + numbers());
}

void check_tupe_a(const OptionValues& values, const EncodingContext& context) {
  check_tupe(tupe_a_options(values), context);
}

void check_tupe_r(const OptionValues& values, const EncodingContext& context) {
  if (values.flag("factors") && values.number_or_none("buckets"))
    throw ConfigError("factors=true needs buckets=none");
  check_tupe(tupe_r_options(values), context);
}

template <auto kRead>
double tupe_parameters(const OptionValues& values, const EncodingContext& context) {
  return tupe_size(kRead(values), context);
}

}  // namespace

EncodingRow tupe_a_row() {
  return {.name = "tupe-a",
          .formula = "q_i.k_j/sqrt(2Dh) + reset((LN(p_i)U^Q).(LN(p_j)U^K)/sqrt(2Dh))",
          .options = shared_options(),
          .check = check_tupe_a,
          .parameters = tupe_parameters<tupe_a_options>,
          .make = make_encoding<Tupe, tupe_a_options>};
}

EncodingRow tupe_r_row() {
  constexpr TupeOptions kDefaults;
  EncodingRow row = {.name = "tupe-r",
                     .formula = "as tupe-a, + b[h,j-i]",
                     .options = shared_options(),
                     .check = check_tupe_r,
                     .parameters = tupe_parameters<tupe_r_options>,
                     .make = make_encoding<Tupe, tupe_r_options>};
  row.options.push_back(number_or_option("buckets", "none", kDefaults.buckets, kFewestBuckets,
                                         "number of buckets; none: one number per offset"));
  row.options.push_back(distance_option(kDefaults.distance));
  row.options.push_back(
      flag_option("factors", false, "b = (r F^Q).(r F^K), r a vector per offset; buckets=none"));
  return row;
}

}  // namespace dietmt::encoders
