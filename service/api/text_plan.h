// A text as sentences to translate, with the white space and markup between and inside them.
#pragma once

#include <string>

#include "service/api/text_translator.h"

namespace dietmt::service {

/// Splits a text into sentences without translations; their joined() returns what is between them.
/// `taken_out`: what moves with its words in a text without marks; in one with marks all kinds do,
/// and in HTML what no language has letters for.
TranslatedText plan_text(const nmt::MarkedText& text, const TextOptions& options,
                         const nmt::KeptFinder& taken_out);

}  // namespace dietmt::service
