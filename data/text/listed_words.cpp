// Subwords for text that is already cut into the pieces of a list.
#include <algorithm>

#include "common/error.h"
#include "data/text/numbered_pieces.h"

namespace dietmt::data {
namespace {

constexpr std::string_view kWhiteSpace = " \t\n\v\f\r";

class ListedWords : public NumberedPieces {
 public:
  explicit ListedWords(PieceVocabulary vocabulary) : NumberedPieces(std::move(vocabulary)) {
    serialized_ = data::serialized(kWordsMagic, vocabulary_, {});
  }

  std::vector<int32_t> encode(std::string_view text) const override {
    return encode_with_spans(text).ids;
  }

  SpannedPieces encode_with_spans(std::string_view text) const override {
    SpannedPieces pieces;
    for (size_t end = 0;;) {
      const size_t begin = text.find_first_not_of(kWhiteSpace, end);
      if (begin == std::string_view::npos) return pieces;
      const size_t after = std::min(text.find_first_of(kWhiteSpace, begin), text.size());
      pieces.ids.push_back(id_of_word(text.substr(begin, after - begin), end == 0));
      pieces.spans.push_back({static_cast<int32_t>(end), static_cast<int32_t>(after)});
      end = after;
    }
  }

  std::string decode(std::span<const int32_t> ids) const override {
    return decode_with_spans(ids).text;
  }

  SpannedText decode_with_spans(std::span<const int32_t> ids) const override {
    SpannedText spanned;
    for (const int32_t id : ids) {
      const auto begin = static_cast<int32_t>(spanned.text.size());
      const std::string word = piece(id);
      if (!is_special(id)) spanned.text += (begin > 0 ? " " : "") + word;
      spanned.spans.push_back({begin, static_cast<int32_t>(spanned.text.size())});
    }
    return spanned;
  }

  std::unique_ptr<const Subwords> with_separator(const std::string& where) const override {
    return listed_words(longer_vocabulary(), where);
  }

 private:
  // No text has a special piece, except a tag at its start.
  int32_t id_of_word(std::string_view word, bool is_first) const {
    const int32_t id = id_of(word);
    if (id < 0) return unknown();
    return is_special(id) && !(is_first && is_tag(id)) ? unknown() : id;
  }
};

}  // namespace

std::unique_ptr<const Subwords> listed_words(PieceVocabulary vocabulary, const std::string& where) {
  try {
    return std::make_unique<ListedWords>(std::move(vocabulary));
  } catch (const DataError& error) {
    throw DataError(where + ": " + error.what());
  }
}

}  // namespace dietmt::data
