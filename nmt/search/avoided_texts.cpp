#include "nmt/search/avoided_texts.h"

#include <algorithm>
#include <utility>

#include "data/text/text_characters.h"
#include "data/text/word_text.h"

namespace dietmt::nmt {
namespace {

bool can_begin_after(std::string_view text) {
  return text.empty() ||
         !data::joins_word(static_cast<char32_t>(data::last_character_of(text).code));
}

}  // namespace

AvoidedTexts::AvoidedTexts(const data::Tokenizer& tokenizer, std::vector<End> ends)
    : tokenizer_(tokenizer), ends_(std::move(ends)) {
  constexpr size_t kLongestCharacter = 4;
  for (const End& end : ends_) longest_ = std::max(longest_, end.before.size() + kLongestCharacter);
}

void AvoidedTexts::add_ends(std::span<const int32_t> tokens, std::vector<int32_t>& ends) const {
  const std::string text = last_text(tokens);
  for (const auto& [before, token, begins_word] : ends_) {
    if (!text.ends_with(before)) continue;
    const auto rest = std::string_view(text).substr(0, text.size() - before.size());
    if (begins_word || can_begin_after(rest)) ends.push_back(token);
  }
}

std::string AvoidedTexts::last_text(std::span<const int32_t> tokens) const {
  size_t bytes = 0, first = tokens.size();
  std::vector<std::string> pieces;
  while (first > 0 && bytes < longest_) {
    pieces.push_back(tokenizer_.piece(tokens[--first]));
    bytes += pieces.back().size();
  }
  std::string text;
  for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece) text += *piece;
  return text;
}

}  // namespace dietmt::nmt
