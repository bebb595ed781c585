#include "data/text/merged_pieces.h"

#include <algorithm>
#include <array>
#include <utility>

#include "common/error.h"
#include "common/text_io.h"
#include "common/utf8.h"
#include "data/text/byte_words.h"
#include "data/text/merges.h"
#include "data/text/numbered_pieces.h"
#include "data/text/source_text.h"

namespace dietmt::data {
namespace {

constexpr std::string_view kSpaces = " \t\n\v\f\r";
constexpr std::string_view kWordEnd = "</w>";
constexpr std::string_view kGoesOn = "@@";
constexpr std::array<std::pair<MergedText, std::string_view>, 3> kNames = {
    {{MergedText::kWords, "words"},
     {MergedText::kBytes, "bytes"},
     {MergedText::kSpacedBytes, "spaced bytes"}}};

/// What words and bytes have in common: the tag before a text, and the ids of symbols.
class MergedPieces : public NumberedPieces {
 public:
  MergedPieces(PieceVocabulary vocabulary, MergedText kind, std::string_view merges,
               const std::string& where)
      : NumberedPieces(std::move(vocabulary)),
        merges_(merges, where, [&](std::string_view symbol) { return symbol_of(kind, symbol); }) {
    serialized_ = data::serialized(kMergesMagic, vocabulary_, merge_rules(kind, merges));
  }

  std::vector<int32_t> encode(std::string_view text) const override {
    return encode_with_spans(text).ids;
  }

  SpannedPieces encode_with_spans(std::string_view text) const override {
    SpannedPieces pieces;
    size_t begin = 0;
    if (const std::string_view tag = leading_tag(text); !tag.empty()) {
      add(id_of(tag), tag.size(), pieces);
      begin = std::min(tag.size() + 1, text.size());
    }
    const bool has_text = text.find_first_not_of(kSpaces, begin) != text.npos;
    if (has_text) encode(text, begin, pieces);
    return pieces;
  }

  std::string decode(std::span<const int32_t> ids) const override {
    return decode_with_spans(ids).text;
  }

  size_t longest_part() const override { return kMaxLineBytes; }

  std::unique_ptr<const Subwords> with_separator(const std::string& where) const override {
    const size_t rules = serialized_.find('\n', kMergesMagic.size()) + 1;
    return merged_pieces(longer_vocabulary(), serialized_.substr(rules), where);
  }

 private:
  /// As it is in texts. Codes of words may be those of more words than a vocabulary has.
  std::string symbol_of(MergedText kind, std::string_view symbol) const {
    if (kind == MergedText::kWords && symbol == kWordEnd)
      throw DataError("the end of words is a separate symbol, as in version 0.1 of subword-nmt");
    if (kind == MergedText::kWords) return std::string(symbol);
    const auto bytes = bytes_of_alphabet(symbol);
    if (bytes && id_of(symbol) >= 0) return *bytes;
    throw DataError("the symbol '" + std::string(symbol) + "' is not a piece of the vocabulary");
  }

 protected:
  /// The pieces of `text` from `begin` on.
  virtual void encode(std::string_view text, size_t begin, SpannedPieces& pieces) const = 0;

  /// A piece that ends at byte `end`; it begins where the last one ended.
  static void add(int32_t id, size_t end, SpannedPieces& pieces) {
    const int32_t begin = pieces.spans.empty() ? 0 : pieces.spans.back().end;
    pieces.ids.push_back(id);
    pieces.spans.push_back({begin, static_cast<int32_t>(end)});
  }

  /// No text has a special piece.
  int32_t id_of_text(std::string_view piece) const {
    const int32_t id = id_of(piece);
    return id < 0 || is_special(id) ? unknown() : id;
  }

  const Merges merges_;
};

class MergedWords : public MergedPieces {
 public:
  MergedWords(PieceVocabulary vocabulary, std::string_view merges, const std::string& where)
      : MergedPieces(std::move(vocabulary), MergedText::kWords, merges, where) {}

  SpannedText decode_with_spans(std::span<const int32_t> ids) const override {
    SpannedText spanned;
    bool goes_on = true;
    for (const int32_t id : ids) {
      const auto begin = static_cast<int32_t>(spanned.text.size());
      if (!is_special(id)) {
        const std::string word = piece(id);
        if (!goes_on) spanned.text += ' ';
        goes_on = word.ends_with(kGoesOn);
        spanned.text += word.substr(0, word.size() - (goes_on ? kGoesOn.size() : 0));
      }
      spanned.spans.push_back({begin, static_cast<int32_t>(spanned.text.size())});
    }
    return spanned;
  }

 protected:
  void encode(std::string_view text, size_t end, SpannedPieces& pieces) const override {
    for (;;) {
      const size_t begin = text.find_first_not_of(kSpaces, end);
      if (begin == text.npos) return;
      end = std::min(text.find_first_of(kSpaces, begin), text.size());
      encode_word(text.substr(begin, end - begin), begin, pieces);
    }
  }

 private:
  void encode_word(std::string_view word, size_t begin, SpannedPieces& pieces) const {
    std::vector<size_t> ends;
    for (size_t end = 1; end < word.size(); ++end)
      if (!continues_character(word[end])) ends.push_back(end);
    const std::string ended = std::string(word).append(kWordEnd);
    ends.push_back(ended.size());
    size_t at = 0;
    for (const size_t end : merges_.joined(ended, ends)) {
      const bool is_last = end == ended.size();
      std::string piece(word.substr(at, end - at));
      add(id_of_text(is_last ? piece : piece.append(kGoesOn)), begin + std::min(end, word.size()),
          pieces);
      at = end;
    }
  }
};

class MergedBytes : public MergedPieces {
 public:
  MergedBytes(PieceVocabulary vocabulary, MergedText kind, std::string_view merges,
              const std::string& where)
      : MergedPieces(std::move(vocabulary), kind, merges, where),
        is_spaced_(kind == MergedText::kSpacedBytes) {
    for (int32_t id = 0; id < size(); ++id) {
      const auto bytes = bytes_of_alphabet(vocabulary_.pieces[static_cast<size_t>(id)]);
      bytes_.push_back(bytes.value_or(vocabulary_.pieces[static_cast<size_t>(id)]));
      if (bytes && id != unknown() && !is_special(id)) ids_of_bytes_.emplace(*bytes, id);
    }
  }

  SpannedText decode_with_spans(std::span<const int32_t> ids) const override {
    std::string bytes;
    std::vector<size_t> ends;
    for (const int32_t id : ids) {
      if (!is_special(id)) bytes += bytes_of(id);
      ends.push_back(bytes.size());
    }
    SpannedText spanned;
    std::vector<int32_t> moved;  // where each byte goes; a character's bytes go to its begin
    for (const SourceCharacter& one :
         source_characters(bytes, 0, static_cast<int32_t>(bytes.size()))) {
      moved.resize(static_cast<size_t>(one.end), static_cast<int32_t>(spanned.text.size()));
      append_utf8(one.code, spanned.text);
    }
    moved.push_back(static_cast<int32_t>(spanned.text.size()));
    int32_t begin = 0;
    for (const size_t end : ends)
      spanned.spans.push_back({std::exchange(begin, moved[end]), moved[end]});
    return spanned;
  }

 protected:
  void encode(std::string_view text, size_t begin, SpannedPieces& pieces) const override {
    const size_t space = is_spaced_ && text[begin] != ' ' ? 1 : 0;
    const std::string spaced = std::string(space, ' ').append(text.substr(begin));
    size_t at = 0;
    for (const size_t word_end : byte_word_ends(spaced)) {
      const std::string_view word = std::string_view(spaced).substr(at, word_end - at);
      std::vector<size_t> ends;
      for (size_t end = 1; end <= word.size(); ++end) ends.push_back(end);
      size_t from = 0;
      for (const size_t end : merges_.joined(word, ends)) {
        const auto found = ids_of_bytes_.find(std::string(word.substr(from, end - from)));
        size_t until = at + end;  // a character belongs to the piece with its last byte
        while (until < spaced.size() && continues_character(spaced[until])) --until;
        add(found == ids_of_bytes_.end() ? unknown() : found->second,
            std::max(begin + until, begin + space) - space, pieces);
        from = end;
      }
      at = word_end;
    }
  }

 private:
  const std::string& bytes_of(int32_t id) const {
    if (id < 0 || id >= size())
      throw Error("piece id " + std::to_string(id) + " is outside the vocabulary");
    return bytes_[static_cast<size_t>(id)];
  }

  const bool is_spaced_;
  std::vector<std::string> bytes_;  // of each piece
  std::unordered_map<std::string, int32_t> ids_of_bytes_;
};

}  // namespace

std::string merge_rules(MergedText text, std::string_view merges) {
  const auto* name = std::ranges::find(kNames, text, &decltype(kNames)::value_type::first);
  return std::string(name->second).append("\n").append(merges);
}

std::unique_ptr<const Subwords> merged_pieces(PieceVocabulary vocabulary, const std::string& rules,
                                              const std::string& where) {
  const size_t line = std::min(rules.find('\n'), rules.size());
  const auto* name = std::ranges::find(kNames, std::string_view(rules).substr(0, line),
                                       &decltype(kNames)::value_type::second);
  if (name == kNames.end())
    throw DataError(where + ": its merges are of the unknown kind '" + rules.substr(0, line) + "'");
  const std::string_view merges = std::string_view(rules).substr(std::min(line + 1, rules.size()));
  const MergedText kind = name->first;
  try {
    if (kind == MergedText::kWords)
      return std::make_unique<MergedWords>(std::move(vocabulary), merges, where);
    return std::make_unique<MergedBytes>(std::move(vocabulary), kind, merges, where);
  } catch (const DataError& error) {
    const std::string what = error.what();
    throw DataError(what.starts_with(where) ? what : where + ": " + what);
  }
}

}  // namespace dietmt::data
