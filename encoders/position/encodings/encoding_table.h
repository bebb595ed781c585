// The table of position encodings. Each encoding is one source, which writes its row (two rows for
// two variants).
#pragma once

#include <string>
#include <vector>

#include "encoders/position/encoding_row.h"

namespace dietmt::encoders {

EncodingRow alibi_row();
EncodingRow bert_a_d_row();
EncodingRow bert_r_row();
EncodingRow cope_row();
EncodingRow deberta_row();
EncodingRow diet_abs_lin_row();
EncodingRow diet_abs_row();
EncodingRow diet_rel_row();
EncodingRow fire_row();
EncodingRow input_segments_row();
EncodingRow kerple_row();
EncodingRow learnable_sinusoidal_row();
EncodingRow learned_row();
EncodingRow linformer_row();
EncodingRow relative_key_query_row();
EncodingRow relative_key_row();
EncodingRow relative_sinusoidal_row();
EncodingRow rope_row();
EncodingRow segments_row();
EncodingRow shaw_row();
EncodingRow sinusoidal_row();
EncodingRow t5_row();
EncodingRow transformer_xl_row();
EncodingRow tupe_a_row();
EncodingRow tupe_free_row();
EncodingRow tupe_r_row();
EncodingRow xpos_row();

/// In the order in which help lists them.
const std::vector<EncodingRow>& encoding_table();

/// Null if there is no such encoding.
const EncodingRow* find_encoding(const std::string& name);

}  // namespace dietmt::encoders
