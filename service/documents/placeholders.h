// Placeholders in messages: %s, %1$d, %(name)s, {0}, ${name}, {{name}}, tags and references such as
// <b> and &amp;. A program fills them in, so a translation must have the same.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace dietmt::service {

/// The placeholders of a text, in order; views into it.
std::vector<std::string_view> placeholders_in(std::string_view text);

/// Translates texts in order.
using TranslateTexts =
    std::function<std::vector<std::string>(const std::vector<std::string>& texts)>;

/// Translates segments. If a translation lacks a placeholder of its source or has others, the text
/// between the placeholders is translated instead, and they stay where they were.
std::vector<std::string> translate_keeping_placeholders(const std::vector<std::string>& segments,
                                                        const TranslateTexts& translate);

}  // namespace dietmt::service
