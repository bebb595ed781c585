// Sentences of a text, with all that stands between them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dietmt::service {

/// A sentence and the spacing in front of it: parts of the text that was split.
struct SentencePiece {
  std::string_view before;
  std::string_view sentence;
};

/// The text is, piece by piece, `before` and `sentence`, then `after`.
struct SplitText {
  std::vector<SentencePiece> pieces;
  std::string_view after;
};

/// Splits well-formed UTF-8 by the rules of Unicode's annex 29 as CLDR adapts them to `language`
/// ("en", "pt_BR"; root rules for one that CLDR does not know). A line break always ends a
/// sentence. An abbreviation of the language, an initial or, where the language writes ordinals so,
/// a number with a full stop does not. Sentences hold neither spacing at their ends nor line
/// breaks, and are not empty.
SplitText split_sentences(std::string_view text, const std::string& language);

/// The whole text as one sentence, without the spacing around it; line breaks inside stay.
SplitText one_sentence(std::string_view text);

}  // namespace dietmt::service
