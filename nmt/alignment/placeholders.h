// Placeholders in messages: %s, %1$d, %(name)s, {0}, ${name}, {{name}}, $name$, tags and references
// such as <b> and &amp;. A program fills them in, so a translation must have the same.
#pragma once

#include <string_view>
#include <vector>

namespace dietmt::nmt {

/// The placeholders of a text, in order; views into it.
std::vector<std::string_view> placeholders_in(std::string_view text);

}  // namespace dietmt::nmt
