#include "encoders/position/encodings/cope.h"

#include <ATen/ATen.h>

namespace dietmt::encoders {

Cope::Cope(const CopeOptions& options, const EncodingContext& context) {
  table_ = register_parameter(
      "table",
      empty_table(options.sharing, context, {options.positions, context.head_width}).zero_());
}

void Cope::lower(const Extent&, LayerTerms& terms) const {
  terms.set(&ScoreTerms::contextual, table_);
}

namespace {

CopeOptions cope_options(const OptionValues& values) {
  return {.positions = values.number("positions"), .sharing = sharing_of(values)};
}

}  // namespace

EncodingRow cope_row() {
  constexpr CopeOptions kDefaults;
  return {.name = "cope",
          .formula = "q_i.k_j/sqrt(Dh) + q_i.e[g_ij+..+g_ii], g = sigmoid(q.k/sqrt(Dh))",
          .sites = {.encoder = false},
          .options = {number_option("positions", kDefaults.positions, 2, "largest count plus one"),
                      share_option(kDefaults.sharing)},
          .make = make_encoding<Cope, cope_options>};
}

}  // namespace dietmt::encoders
