// Translates messages without losing their placeholders (nmt/alignment/placeholders.h).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "service/documents/document.h"

namespace dietmt::service {

/// Consecutive texts.
struct ConnectedTexts {
  std::vector<nmt::MarkedText> texts;
  std::vector<bool> only_context = {};  ///< of each: others read it before them; empty: of none
};

/// The translations of texts in order; any text for those that are only context.
using TranslateTexts = std::function<std::vector<Translation>(const ConnectedTexts& texts)>;

/// Translates segments with `translate`. Segments with marks, templates around text or choices, and
/// those whose translation does not keep their placeholders, are translated with
/// `translate_marked`, which removes markup and inserts it again. Marks that stand for text, such
/// as %s, are part of the text that `translate` gets. Throws Error if a function returns a
/// different number of texts.
std::vector<Translation> translate_keeping_placeholders(
    const std::vector<nmt::MarkedText>& segments, const TranslateTexts& translate,
    const TranslateTexts& translate_marked);

/// A text in which these parts of it are marks.
nmt::MarkedText with_marks(std::string_view text,
                           const std::vector<std::string_view>& placeholders);

/// Whether each mark is in the translation once, none of them next to a letter unless it was next
/// to one in the source, and no other placeholder or character such as % was lost or added.
bool keeps_placeholders(const Translation& translation, const nmt::MarkedText& segment);

/// Whether the marks that take the next argument, such as %s and {}, are in the source's order.
bool keeps_order(const Translation& translation, const nmt::MarkedText& segment);

}  // namespace dietmt::service
