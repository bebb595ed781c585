// Subwords for text that is already cut into the pieces of a list.
#include <algorithm>
#include <unordered_map>

#include "common/error.h"
#include "data/text/subwords.h"

namespace dietmt::data {
namespace {

constexpr std::string_view kWhiteSpace = " \t\n\v\f\r";

class ListedWords : public Subwords {
 public:
  explicit ListedWords(PieceVocabulary vocabulary)
      : vocabulary_(std::move(vocabulary)), ids_(ids_of(vocabulary_)) {
    const auto found = ids_.find(std::string(kSeparatorPiece));
    if (found != ids_.end()) separator_ = found->second;
    serialized_ = data::serialized(vocabulary_, {});
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
      pieces.ids.push_back(id_of(std::string(text.substr(begin, after - begin)), end == 0));
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

  int64_t size() const override { return std::ssize(vocabulary_.pieces); }
  int32_t unknown() const override { return vocabulary_.unknown; }
  int32_t begin() const override { return vocabulary_.begin; }
  int32_t end() const override { return vocabulary_.end; }
  std::vector<int32_t> source_ending() const override { return data::source_ending(vocabulary_); }
  int32_t separator() const override { return separator_; }
  bool is_tag(int32_t id) const override {
    return std::ranges::find(vocabulary_.tags, id) != vocabulary_.tags.end();
  }

  std::unique_ptr<const Subwords> with_separator(const std::string& where) const override {
    PieceVocabulary longer = vocabulary_;
    longer.pieces.emplace_back(kSeparatorPiece);
    return listed_words(std::move(longer), where);
  }

  std::string piece(int32_t id) const override {
    if (id < 0 || id >= size())
      throw Error("piece id " + std::to_string(id) + " is outside the vocabulary");
    return vocabulary_.pieces[static_cast<size_t>(id)];
  }

  const std::string& serialized() const override { return serialized_; }
  const std::string& sentencepiece() const override { return no_model_; }

 private:
  bool is_special(int32_t id) const {
    return id == begin() || id == end() || id == separator_ || is_tag(id);
  }

  // No text has a special piece, except a tag at its start.
  int32_t id_of(const std::string& word, bool is_first) const {
    const auto found = ids_.find(word);
    if (found == ids_.end()) return unknown();
    const int32_t id = found->second;
    return is_special(id) && !(is_first && is_tag(id)) ? unknown() : id;
  }

  PieceVocabulary vocabulary_;
  std::unordered_map<std::string, int32_t> ids_;
  int32_t separator_ = -1;
  std::string serialized_;
  std::string no_model_;
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
