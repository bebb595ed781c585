// Position encodings as CTranslate2 knows them. What a stack's encodings lower themselves to
// (encoders/position/score_terms.h) is written, so that no encoding is named here:
//
//   what is added to the embeddings      position_encodings/encodings, a table
//   offset_bias, the same in all layers  the buckets of T5's bias, as many as tell all offsets
//                                        apart
//   relative_keys, relative_values       Shaw's tables, one for all heads
//   rotations                            rotary positions
//   content_scale                        queries_scale
#pragma once

#include <string>
#include <vector>

#include "encoders/position/scheme/position_scheme.h"
#include "interchange/ctranslate2/ctranslate2_file.h"

namespace dietmt::interchange {

/// The positions of one stack.
struct StackPositions {
  std::string scope;  // "encoder" or "decoder"
  const encoders::PositionScheme& scheme;
  encoders::EncodingContext context;
};

/// The number of positions in a table if the encoding has no limit.
inline constexpr int64_t kExportedPositions = 2048;

/// Adds the variables of a stack. Returns the reason if CTranslate2 does not support the encoding,
/// else an empty string.
std::string add_positions(CTranslate2File& file, const StackPositions& stack);

}  // namespace dietmt::interchange
