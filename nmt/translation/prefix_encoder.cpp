#include "nmt/translation/prefix_encoder.h"

#include <algorithm>

#include "data/text/word_text.h"

namespace dietmt::nmt {
namespace {

constexpr char kWordBegin[] = "\u2581";  // sentencepiece's mark for a space

// More pieces than a word has, if it is one.
constexpr size_t kMostPieces = 16;

bool ends_inside_word(std::string_view text) {
  const std::u32string characters = data::characters_of(text);
  return !characters.empty() && data::joins_word(characters.back());
}

}  // namespace

PrefixEncoder::PrefixEncoder(const data::Tokenizer& target) : tokenizer_(target) {
  if (target.sentencepiece().empty()) return;
  for (int64_t token = 0; token < target.vocabulary_size(); ++token) {
    const auto id = static_cast<int32_t>(token);
    if (id != target.unknown_id() && id != target.begin_id() && id != target.end_id() &&
        !target.is_tag(id))
      pieces_.emplace_back(target.piece(id), id);
  }
  std::ranges::sort(pieces_);
}

OpenWord PrefixEncoder::open(std::string_view text, std::vector<int32_t>& prefix) const {
  OpenWord word;
  if (pieces_.empty() || text.empty() || prefix.empty()) return word;
  if (text.back() == ' ') {
    word.choices = {beginning_with(kWordBegin)};
    word.choices.front().push_back(tokenizer_.end_id());
    std::ranges::sort(word.choices.front());
    return word;
  }
  if (!ends_inside_word(text)) return word;
  std::string rest;
  while (!prefix.empty() && word.pieces.size() < kMostPieces &&
         prefix.back() != tokenizer_.unknown_id()) {
    const std::string piece = tokenizer_.piece(prefix.back());
    if (piece != kWordBegin && !ends_inside_word(piece)) break;
    rest.insert(0, piece);
    word.pieces.insert(word.pieces.begin(), prefix.back());
    word.choices.insert(word.choices.begin(), beginning_with(rest));
    prefix.pop_back();
    if (piece.starts_with(kWordBegin)) break;
  }
  for (size_t i = 0; i < word.pieces.size(); ++i) {
    std::vector<int32_t>& choices = word.choices[i];
    choices.push_back(word.pieces[i]);
    std::ranges::sort(choices);
    choices.erase(std::unique(choices.begin(), choices.end()), choices.end());
  }
  return word;
}

std::vector<int32_t> PrefixEncoder::beginning_with(const std::string& text) const {
  std::vector<int32_t> tokens;
  auto at = std::ranges::lower_bound(pieces_, text, {}, &std::pair<std::string, int32_t>::first);
  for (; at != pieces_.end() && at->first.starts_with(text); ++at) tokens.push_back(at->second);
  return tokens;
}

}  // namespace dietmt::nmt
