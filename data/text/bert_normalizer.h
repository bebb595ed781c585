// BERT's basic tokenization (Devlin et al. 2019): text is cleaned, optionally lower-cased and
// stripped of accents, and cut into words at white space, punctuation and ideographs.
//
// The words are those of Hugging Face's BertTokenizerFast, bit for bit. It differs from the slow
// BertTokenizer, which is the original code in Python, in these points:
// - It knows punctuation, marks without width and format characters as of Unicode 8.0, canonical
//   decomposition as of 9.0. A later character is part of a word (U+2E52 does not end it).
//   The slow one knows the Unicode of the Python that runs it.
// - Unassigned characters are kept; the slow one removes them.
// - Ideographs U+2B820..U+2B91F (extension E) are not separate words.
// - Text that keeps its accents stays as it is; the slow one composes it (NFC).
// One difference from Fast: marks that canonical ordering swaps keep their bytes, whereas Fast
// leaves the bytes in their order.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "data/text/source_text.h"

namespace dietmt::data {

/// Defaults are those of the uncased models.
struct BertTextOptions {
  bool lowercase = true;
  std::optional<bool> strip_accents = std::nullopt;  // unset: if text is lower-cased
  bool split_chinese = true;                         // every CJK ideograph is a word
};

/// Bytes begin .. end-1 of `text` without control characters, with U+0020 for all white space. A
/// character that an original one was turned into has all the bytes of that one.
std::vector<SourceCharacter> normalize(std::string_view text, int32_t begin, int32_t end,
                                       const BertTextOptions& options);

/// The words of normalised text; a punctuation character is a word. They point into `text`.
std::vector<std::span<const SourceCharacter>> split_words(std::span<const SourceCharacter> text);

}  // namespace dietmt::data
