// A word before source lines that tells a model what it has before it: the language that is wanted
// (`<2de>`; Johnson et al. 2017), or text that was translated back (`<bt>`; Caswell et al. 2019).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "data/text/tokenizer.h"

namespace dietmt::data {

/// U+2581: sentencepiece's mark of the beginning of a word.
inline constexpr std::string_view kWordBegin = "\xE2\x96\x81";

/// A tag and a space before a line. It is plain text to everything else, so that a line with the
/// tag in it and a line that is given the tag here have the same pieces.
class SourceTag {
 public:
  /// An empty `tag`: none. Throws DataError naming tag and tokenizer if the tag is not one piece of
  /// the vocabulary (with or without the mark of a word's beginning, which some tokenizers make a
  /// piece of its own).
  SourceTag(const Tokenizer& tokenizer, const std::string& tag);

  /// The tagged line, whose first pieces are the tag's.
  std::string before(const std::string& line) const { return before_ + line; }

  /// How many those are.
  int64_t pieces() const { return pieces_; }

 private:
  std::string before_;  // tag and space, or nothing
  int64_t pieces_ = 0;
};

/// All that is wrong with a tag as such, in one sentence; empty: nothing.
std::string source_tag_problem(const std::string& tag);

}  // namespace dietmt::data
