// Apostrophes and hyphens of typographers, which many vocabularies lack, written as keyboards do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/text/tokenizer.h"

namespace dietmt::data {

/// A text in which the apostrophes and hyphens of words that became unknown pieces are ' and -:
/// those between letters or digits, and U+2019 after a letter unless it may end a quotation.
class PlainSigns {
 public:
  /// Whether a text may have such signs; quick.
  static bool are_possible_in(std::string_view text);

  /// `pieces`: of the text.
  PlainSigns(std::string_view text, const SpannedPieces& pieces, int32_t unknown);

  /// Whether the text has such signs.
  bool any() const { return !signs_.empty(); }
  const std::string& text() const { return text_; }

  /// The bytes of the original text that bytes of text() stand for.
  TextSpan original(TextSpan span) const;

 private:
  struct Sign {
    int32_t end = 0;    // in text()
    int32_t added = 0;  // how much further it ends in the original
  };

  void add(size_t bytes, char plain);
  int32_t original(int32_t at) const;

  std::string text_;
  std::vector<Sign> signs_;  // in order
};

}  // namespace dietmt::data
