// Position encodings in CTranslate2. Export writes what a stack's encodings lower to
// (encoders/position/score_terms.h), so that no encoding is named here:
//
//   addition to the embeddings           position_encodings/encodings, a table
//   offset_bias, the same in all layers  the buckets of T5's bias, as many as separate all
//                                        offsets
//   relative_keys, relative_values       Shaw's tables, one for all heads
//   rotations                            rotary positions
//   content_scale                        queries_scale
#pragma once

#include <string>
#include <vector>

#include "encoders/position/scheme/position_scheme.h"
#include "interchange/ctranslate2/ctranslate2_file.h"

namespace dietmt::interchange {

struct StackPositions {
  std::string scope;  // "encoder" or "decoder"
  const encoders::PositionScheme& scheme;
  encoders::EncodingContext context;
};

/// Size of the position table if the encoding has no limit.
inline constexpr int64_t kExportedPositions = 2048;

/// Adds the variables of a stack. Returns the reason if CTranslate2 does not support the encoding,
/// else "".
std::string add_positions(CTranslate2File& file, const StackPositions& stack);

}  // namespace dietmt::interchange
