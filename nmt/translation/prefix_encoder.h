// Turns the beginning that a translation must have into tokens.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "nmt/search/search_task.h"
#include "nmt/translation/piece_index.h"

namespace dietmt::nmt {

/// Moves the last word of `prefix`, the pieces of a text that ends with a letter, digit or mark,
/// into an open word: its last pieces, as far back as the word begins. After a text that ends with
/// a space, the open word has no pieces, and its choices are the tokens that begin a word. Other
/// texts, and those of a tokenizer whose text is already cut into pieces, end as they are.
OpenWord open_word(std::string_view text, const PieceIndex& pieces, std::vector<int32_t>& prefix);

}  // namespace dietmt::nmt
