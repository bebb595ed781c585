// The special pieces of encoder-only models, and how to find their names in a text.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "data/text/bert_tokenizer.h"

namespace dietmt::data {

inline constexpr std::array<std::pair<std::string_view, int32_t SpecialPieces::*>, 5>
    kSpecialPieces{{{"[PAD]", &SpecialPieces::pad},
                    {"[UNK]", &SpecialPieces::unknown},
                    {"[CLS]", &SpecialPieces::classify},
                    {"[SEP]", &SpecialPieces::separate},
                    {"[MASK]", &SpecialPieces::mask}}};

bool is_special(int32_t id, const SpecialPieces& special);

/// Bytes begin .. end-1 of a text: the name of a special piece, or text between two of them.
struct TextPart {
  int32_t begin;
  int32_t end;
  int32_t special_id;  // -1: text
};

/// The whole text in order, without empty segments. A name counts anywhere, also inside a word,
/// but only in capitals. Throws Error for a text of 2 GiB or more.
std::vector<TextPart> split_at_special_pieces(std::string_view text, const SpecialPieces& special);

}  // namespace dietmt::data
