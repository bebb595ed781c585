// Turns the beginning that a translation must have into tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/text/tokenizer.h"
#include "nmt/search/search_task.h"

namespace dietmt::nmt {

/// Thread-safe.
class PrefixEncoder {
 public:
  /// `target`: the model's; the encoder keeps a reference.
  explicit PrefixEncoder(const data::Tokenizer& target);

  /// Moves the last word of `prefix`, the pieces of a text that ends with a letter, digit or mark,
  /// into an open word: its last pieces, as far back as the word begins. After a text that ends
  /// with a space, the open word has no pieces, and its choices are the tokens that begin a word.
  /// Other texts, and those of a tokenizer whose text is already cut into pieces, end as they are.
  OpenWord open(std::string_view text, std::vector<int32_t>& prefix) const;

 private:
  std::vector<int32_t> beginning_with(const std::string& text) const;

  const data::Tokenizer& tokenizer_;
  std::vector<std::pair<std::string, int32_t>> pieces_;  // sorted
};

}  // namespace dietmt::nmt
