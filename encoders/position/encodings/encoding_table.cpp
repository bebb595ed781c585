#include "encoders/position/encodings/encoding_table.h"

namespace dietmt::encoders {
namespace {

EncodingRow none_row() {
  return {.name = "none",
          .formula = "no position information",
          .sites = {.cross = true},
          .make = [](const OptionValues&, const EncodingContext&) {
            return std::make_shared<PositionEncoding>();
          }};
}

std::vector<EncodingRow> with_summary_options(std::vector<EncodingRow> rows) {
  for (EncodingRow& row : rows)
    if (row.may_untie_summary()) row.options.push_back(summary_option());
  return rows;
}

}  // namespace

// A new encoding writes its row in its own source, is declared in encoding_table.h and gets a line
// here.
const std::vector<EncodingRow>& encoding_table() {
  static const std::vector<EncodingRow> table = with_summary_options({none_row(),
                                                                      sinusoidal_row(),
                                                                      learned_row(),
                                                                      learnable_sinusoidal_row(),
                                                                      input_segments_row(),
                                                                      diet_rel_row(),
                                                                      t5_row(),
                                                                      bert_r_row(),
                                                                      alibi_row(),
                                                                      kerple_row(),
                                                                      fire_row(),
                                                                      shaw_row(),
                                                                      relative_sinusoidal_row(),
                                                                      relative_key_row(),
                                                                      relative_key_query_row(),
                                                                      deberta_row(),
                                                                      transformer_xl_row(),
                                                                      tupe_a_row(),
                                                                      tupe_r_row(),
                                                                      tupe_free_row(),
                                                                      bert_a_d_row(),
                                                                      diet_abs_row(),
                                                                      linformer_row(),
                                                                      diet_abs_lin_row(),
                                                                      rope_row(),
                                                                      xpos_row(),
                                                                      cope_row(),
                                                                      segments_row()});
  return table;
}

const EncodingRow* find_encoding(const std::string& name) {
  for (const EncodingRow& row : encoding_table())
    if (row.name == name) return &row;
  return nullptr;
}

}  // namespace dietmt::encoders
