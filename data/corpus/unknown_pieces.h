// What a vocabulary lacks of a text.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "data/text/tokenizer.h"

namespace dietmt::data {

class UnknownPieces {
 public:
  /// The pieces of a text, which is UTF-8.
  void add(const Tokenizer& tokenizer, std::string_view text, std::span<const int32_t> ids);
  UnknownPieces& operator+=(const UnknownPieces& other);

  double share() const;
  /// The most frequent characters of unknown pieces, at most `most`, and how often each was seen.
  std::string characters(size_t most) const;

  /// Warns if the share is above kNoticed. Throws DataError if it is above kRefused, unless
  /// `is_allowed` or the tokenizer's pieces are the words of a text that another program has cut.
  /// `file`: of the text.
  void check(const std::string& file, const Tokenizer& tokenizer, bool is_allowed) const;

  static constexpr double kNoticed = 0.001;
  static constexpr double kRefused = 0.05;

 private:
  void count_characters(const Tokenizer& tokenizer, std::string_view text);

  int64_t pieces_ = 0;
  int64_t unknown_ = 0;
  std::map<char32_t, int64_t> characters_;
};

}  // namespace dietmt::data
