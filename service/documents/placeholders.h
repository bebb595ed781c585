// Translation of messages that keeps their placeholders (nmt/alignment/placeholders.h).
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace dietmt::service {

/// Translates texts in order.
using TranslateTexts =
    std::function<std::vector<std::string>(const std::vector<std::string>& texts)>;

/// Translates segments with `translate`. Segments with tags,
/// templates around text or choices, and those whose translation lacks a
/// placeholder of its source or has others, are translated by `translate_marked`, which moves tags
/// and placeholders with their words (nmt/alignment/inline_markup.h).
std::vector<std::string> translate_keeping_placeholders(const std::vector<std::string>& segments,
                                                        const TranslateTexts& translate,
                                                        const TranslateTexts& translate_marked);

}  // namespace dietmt::service
