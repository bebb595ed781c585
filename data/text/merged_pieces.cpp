#include "data/text/merged_pieces.h"

#include <algorithm>
#include <array>
#include <utility>

#include "common/error.h"
#include "common/text_io.h"
#include "common/utf8.h"
#include "data/text/byte_words.h"
#include "data/text/merges.h"
#include "data/text/moses.h"
#include "data/text/numbered_pieces.h"
#include "data/text/source_text.h"

namespace dietmt::data {
namespace {

constexpr std::string_view kSpaces = " \t\n\v\f\r";
constexpr std::string_view kWordEnd = "</w>";
constexpr std::string_view kGoesOn = "@@";
// Before the language.
constexpr std::array<std::pair<MosesSteps, std::string_view>, 2> kMosesNames = {
    {{MosesSteps::kNormalized, "moses-normalized "}, {MosesSteps::kAll, "moses "}}};
constexpr std::array<std::pair<MergedText, std::string_view>, 3> kNames = {
    {{MergedText::kWords, "words"},
     {MergedText::kBytes, "bytes"},
     {MergedText::kSpacedBytes, "spaced bytes"}}};

/// What merge_rules() made, in its parts.
struct Rules {
  const std::string& text;  // all of them
  const std::string& where;
  MergedText kind = MergedText::kWords;
  const MosesLanguage* moses = nullptr;  // nullptr: words are not made by Moses
  MosesSteps steps = MosesSteps::kAll;
  std::string_view merges = {};
};

/// What words and bytes have in common: the tag before a text, and the ids of symbols.
class MergedPieces : public NumberedPieces {
 public:
  MergedPieces(PieceVocabulary vocabulary, const Rules& rules)
      : NumberedPieces(std::move(vocabulary)),
        merges_(rules.merges, rules.where,
                [&](std::string_view symbol) { return symbol_of(rules.kind, symbol); }) {
    serialized_ = data::serialized(kMergesMagic, vocabulary_, rules.text);
  }

  std::vector<int32_t> encode(std::string_view text) const override {
    return encode_with_spans(text).ids;
  }

  SpannedPieces encode_with_spans(std::string_view text) const override {
    SpannedPieces pieces;
    size_t begin = 0;
    if (const std::string_view tag = leading_tag(text); !tag.empty()) {
      add(id_of(tag), static_cast<int32_t>(tag.size()), pieces);
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

  /// A piece that ends at byte `end`, or before if the last one ends later, where it begins.
  static void add(int32_t id, int32_t end, SpannedPieces& pieces) {
    const int32_t begin = pieces.spans.empty() ? 0 : pieces.spans.back().end;
    pieces.ids.push_back(id);
    pieces.spans.push_back({begin, std::max(begin, end)});
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
  MergedWords(PieceVocabulary vocabulary, const Rules& rules)
      : MergedPieces(std::move(vocabulary), rules), moses_(rules.moses), steps_(rules.steps) {}

  SpannedText decode_with_spans(std::span<const int32_t> ids) const override {
    std::vector<Characters> words;
    bool goes_on = false;
    for (size_t i = 0; i < ids.size(); ++i) {
      if (is_special(ids[i])) continue;
      const std::string word = piece(ids[i]);
      if (!goes_on) words.emplace_back();
      goes_on = word.ends_with(kGoesOn);
      const size_t end = word.size() - (goes_on ? kGoesOn.size() : 0);
      const auto place = static_cast<int32_t>(i);
      for (const SourceCharacter& one : source_characters(word, 0, static_cast<int32_t>(end)))
        words.back().push_back({one.code, place, place});
    }
    std::erase_if(words, [](const Characters& word) { return word.empty(); });
    return spanned(moses_ != nullptr ? moses_text(*moses_, std::move(words)) : joined(words),
                   ids.size());
  }

 protected:
  void encode(std::string_view text, size_t begin, SpannedPieces& pieces) const override {
    Characters characters =
        source_characters(text, static_cast<int32_t>(begin), static_cast<int32_t>(text.size()));
    for (const Characters& word : words_in(std::move(characters))) encode_word(word, pieces);
  }

 private:
  std::vector<Characters> words_in(Characters text) const {
    if (moses_ == nullptr)
      return words_of(text, [](char32_t code) {
        return code < 0x80 && kSpaces.find(static_cast<char>(code)) != kSpaces.npos;
      });
    return moses_words(*moses_, steps_, std::move(text));
  }

  void encode_word(const Characters& word, SpannedPieces& pieces) const {
    std::string ended;
    std::vector<size_t> ends;
    for (const SourceCharacter& one : word) {
      append_utf8(one.code, ended);
      ends.push_back(ended.size());
    }
    const size_t size = ended.size();
    ends.back() = ended.append(kWordEnd).size();
    size_t begin = 0, last = 0;
    for (const size_t end : merges_.joined(ended, ends)) {
      while (ends[last] != end) ++last;
      const bool goes_on = end != ended.size();
      std::string piece = ended.substr(begin, (goes_on ? end : size) - begin);
      add(id_of_text(goes_on ? piece.append(kGoesOn) : piece), word[last].end, pieces);
      begin = end;
    }
  }

  /// The words with spaces between them.
  static Characters joined(const std::vector<Characters>& words) {
    Characters text;
    for (const Characters& word : words) {
      if (!text.empty()) text.push_back({' ', word.front().begin, word.front().end});
      text.insert(text.end(), word.begin(), word.end());
    }
    return text;
  }

  /// The text of characters that say which of `count` pieces they begin in.
  static SpannedText spanned(const Characters& text, size_t count) {
    SpannedText made;
    std::vector<int32_t> ends(count, 0);
    for (const SourceCharacter& one : text) {
      append_utf8(one.code, made.text);
      ends[static_cast<size_t>(one.begin)] = static_cast<int32_t>(made.text.size());
    }
    int32_t begin = 0;
    for (const int32_t end : ends) {
      made.spans.push_back({begin, std::max(begin, end)});
      begin = made.spans.back().end;
    }
    return made;
  }

  const MosesLanguage* const moses_;
  const MosesSteps steps_;
};

class MergedBytes : public MergedPieces {
 public:
  MergedBytes(PieceVocabulary vocabulary, const Rules& rules)
      : MergedPieces(std::move(vocabulary), rules),
        is_spaced_(rules.kind == MergedText::kSpacedBytes) {
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
            static_cast<int32_t>(std::max(begin + until, begin + space) - space), pieces);
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

Rules parsed(const std::string& text, const std::string& where) {
  Rules rules{text, where};
  const size_t line = std::min(text.find('\n'), text.size());
  const std::string_view name = std::string_view(text).substr(0, line);
  const auto* kind = std::ranges::find(kNames, name, &decltype(kNames)::value_type::second);
  if (kind != kNames.end()) rules.kind = kind->first;
  for (const auto& [steps, mark] : kMosesNames) {
    if (!name.starts_with(mark)) continue;
    rules.moses = moses_language(name.substr(mark.size()));
    rules.steps = steps;
  }
  if (kind == kNames.end() && rules.moses == nullptr)
    throw DataError(where + ": its merges are of the unknown kind '" + std::string(name) + "'");
  rules.merges = std::string_view(text).substr(std::min(line + 1, text.size()));
  return rules;
}

std::string named_rules(std::string_view name, std::string_view merges) {
  return std::string(name).append("\n").append(merges);
}

}  // namespace

std::string merge_rules(MergedText text, std::string_view merges) {
  const auto* name = std::ranges::find(kNames, text, &decltype(kNames)::value_type::first);
  return named_rules(name->second, merges);
}

std::string merge_rules(const MosesLanguage& language, MosesSteps steps, std::string_view merges) {
  const auto* name =
      std::ranges::find(kMosesNames, steps, &decltype(kMosesNames)::value_type::first);
  return named_rules(std::string(name->second).append(language.code), merges);
}

std::unique_ptr<const Subwords> merged_pieces(PieceVocabulary vocabulary, const std::string& rules,
                                              const std::string& where) {
  try {
    const Rules parts = parsed(rules, where);
    if (parts.kind == MergedText::kWords)
      return std::make_unique<MergedWords>(std::move(vocabulary), parts);
    return std::make_unique<MergedBytes>(std::move(vocabulary), parts);
  } catch (const DataError& error) {
    const std::string what = error.what();
    throw DataError(what.starts_with(where) ? what : where + ": " + what);
  }
}

}  // namespace dietmt::data
