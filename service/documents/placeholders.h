// Translates messages without losing their placeholders (nmt/alignment/placeholders.h).
#pragma once

#include <functional>
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
/// those whose translation lacks a placeholder of the source or adds one, are translated with
/// `translate_marked`, which moves marks and placeholders with their words
/// (nmt/alignment/inline_markup.h). Both get all segments.
std::vector<Translation> translate_keeping_placeholders(
    const std::vector<nmt::MarkedText>& segments, const TranslateTexts& translate,
    const TranslateTexts& translate_marked);

}  // namespace dietmt::service
