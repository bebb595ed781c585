// Texts that no translation may contain, however its pieces write them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/text/tokenizer.h"

namespace dietmt::nmt {

class AvoidedTexts {
 public:
  /// A token that would be the last of a text, after pieces that spell the rest of it.
  struct End {
    std::string before;
    int32_t token = 0;
    bool begins_word = false;  // otherwise no word may go on from what is before the text
  };

  /// `tokenizer`: of the translations; it must outlive this.
  AvoidedTexts(const data::Tokenizer& tokenizer, std::vector<End> ends);

  bool empty() const { return ends_.empty(); }

  /// Adds the tokens that would end a text after those of a hypothesis. In time of the texts' size.
  void add_ends(std::span<const int32_t> tokens, std::vector<int32_t>& ends) const;

 private:
  std::string last_text(std::span<const int32_t> tokens) const;

  const data::Tokenizer& tokenizer_;
  const std::vector<End> ends_;
  size_t longest_ = 0;  // bytes of End::before and the character before it
};

}  // namespace dietmt::nmt
