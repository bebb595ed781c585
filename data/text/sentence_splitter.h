// The sentences of a text and the white space between them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dietmt::data {

/// A sentence and the white space before it, as views of the text.
struct SentencePiece {
  std::string_view before;
  std::string_view sentence;
};

/// The text is, piece by piece, `before` and `sentence`, then `after`.
struct SplitText {
  std::vector<SentencePiece> pieces;
  std::string_view after;
};

/// Splits valid UTF-8 by Unicode annex 29 as adapted by CLDR to `language` ("en", "pt_BR"; CLDR's
/// root rules for an unknown language). A line break always ends a sentence. An abbreviation, an
/// initial or, in languages that write ordinals that way, a number with a full stop does not.
/// Sentences are not empty and have no line breaks, and no white space at their ends.
SplitText split_sentences(std::string_view text, const std::string& language);

/// The whole text as one sentence, without the white space around it; line breaks inside stay.
SplitText one_sentence(std::string_view text);

}  // namespace dietmt::data
