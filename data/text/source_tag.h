// A word before source lines that tells the model the target language (`<2de>`; Johnson et al.
// 2017) or marks back-translated text (`<bt>`; Caswell et al. 2019).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "data/text/tokenizer.h"

namespace dietmt::data {

/// U+2581, with which sentencepiece marks the start of a word.
inline constexpr std::string_view kWordBegin = "\xE2\x96\x81";

/// Puts a tag and a space before a line. Everything else treats them as plain text, so a line that
/// contains the tag already has the same pieces.
class SourceTag {
 public:
  /// An empty `tag`: none. Throws DataError naming tag and tokenizer if the tag is not one piece of
  /// the vocabulary (with or without the mark of a word's beginning, which some tokenizers make a
  /// separate piece).
  SourceTag(const Tokenizer& tokenizer, const std::string& tag);

  /// The tagged line, whose first pieces are the tag's.
  std::string before(const std::string& line) const { return before_ + line; }

  /// The number of the pieces of the tag.
  int64_t pieces() const { return pieces_; }

 private:
  std::string before_;  // tag and space, or nothing
  int64_t pieces_ = 0;
};

/// The problem of a tag, in one sentence; empty if it is valid.
std::string source_tag_problem(const std::string& tag);

}  // namespace dietmt::data
