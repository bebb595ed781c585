// CoPE (Golovneva et al. 2024, "Contextual Position Encoding"): positions count only the words that
// a query cares about,
//
//   g_ij = sigmoid(q_i . k_j / sqrt(Dh)),   c_ij = min(g_ij + .. + g_ii, P - 1)
//   score[h,i,j] = q_i . k_j / sqrt(Dh) + q_i . e[c_ij],   e interpolated between whole numbers
//
// For causal attention. It needs all scores of a row before any probability, so the fused kernels
// cannot run it. Choose it for experiments.

#include <ATen/ATen.h>

#include "encoders/position/encodings/encoding_table.h"

namespace dietmt::encoders {
namespace {

struct CopeOptions {
  int64_t positions = 64;  // P
  Sharing sharing = Sharing::kHeads;
};

class Cope : public PositionEncoding {
 public:
  Cope(const CopeOptions& options, const EncodingContext& context);
  void lower(const Extent& extent, LayerTerms& terms) const override;

 private:
  at::Tensor table_;  // e: [L|1, H|1, P, Dh], zeros at the start
};

Cope::Cope(const CopeOptions& options, const EncodingContext& context) {
  table_ = register_parameter(
      "table",
      empty_table(options.sharing, context, {options.positions, context.head_width}).zero_());
}

void Cope::lower(const Extent&, LayerTerms& terms) const {
  terms.set(&ScoreTerms::contextual, table_);
}

CopeOptions cope_options(const OptionValues& values) {
  return {.positions = values.number("positions"), .sharing = sharing_of(values)};
}

double cope_parameters(const OptionValues& values, const EncodingContext& context) {
  const CopeOptions options = cope_options(values);
  return table_size(options.sharing, context, {options.positions, context.head_width});
}

}  // namespace

EncodingRow cope_row() {
  constexpr CopeOptions kDefaults;
  return {.name = "cope",
          .formula = "q_i.k_j/sqrt(Dh) + q_i.e[g_ij+..+g_ii], g = sigmoid(q.k/sqrt(Dh))",
          .sites = {.encoder = false},
          .options = {number_option("positions", kDefaults.positions, 2, "largest count plus one"),
                      share_option(kDefaults.sharing)},
          .parameters = cope_parameters,
          .make = make_encoding<Cope, cope_options>};
}

}  // namespace dietmt::encoders
