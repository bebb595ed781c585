// Markup of plain text: Markdown, BBCode and code in backticks.
#pragma once

#include <string_view>
#include <vector>

#include "nmt/alignment/kept_kinds.h"

namespace dietmt::nmt {

/// In order, as views into `text`, of the kinds kCode, kMarkdown and kBbcode:
///   `code` and ``code`` as a whole; no marks are found inside
///   ** __ ~~ * _ that open and close something, each mark for itself
///   [ or ![ and ](address) of a link or picture
///   [b] [/b] [url=address] [*] of BBCode
/// `2 * 3`, snake_case and a lone * are none. Takes linear time.
std::vector<std::string_view> light_markup_in(std::string_view text, KeptKinds kinds);

/// Whether a mark from light_markup_in() is ** or the like: the first opens and the second closes.
bool is_emphasis(std::string_view mark);

/// The name in [b], [/b] or [url=address]; empty: it is no BBCode.
std::string_view bbcode_name(std::string_view mark);

}  // namespace dietmt::nmt
