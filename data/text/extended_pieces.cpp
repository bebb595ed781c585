#include "data/text/extended_pieces.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <utility>

#include "data/text/merge_learner.h"
#include "data/text/plain_signs.h"
#include "data/text/sentencepiece_model.h"
#include "data/text/source_tag.h"
#include "data/text/text_characters.h"

namespace dietmt::data {
namespace {

constexpr int32_t kBreak = -1;  // between words
constexpr int64_t kMostLetters = 16;
constexpr size_t kLongestWord = 64;  // in pieces; longer ones are divided

std::string_view first_of(std::string_view text) {
  return text.substr(0, first_character_of(text).bytes);
}

// Letters after the mark of a word's start; -1 if the piece has other characters.
int64_t letters_in(std::string_view piece) {
  if (piece.starts_with(kWordBegin)) piece.remove_prefix(kWordBegin.size());
  int64_t letters = 0;
  for (; !piece.empty(); ++letters) {
    const Character character = first_character_of(piece);
    const bool is_letter =
        u_isalpha(character.code) || (U_GET_GC_MASK(character.code) & U_GC_M_MASK) != 0;
    if (!is_letter) return -1;
    piece.remove_prefix(character.bytes);
  }
  return letters;
}

// Neither invisible nor without a meaning, and not written in another way.
bool is_worth_a_piece(std::string_view character) {
  const UChar32 code = first_character_of(character).code;
  const bool is_drawn = (U_GET_GC_MASK(code) & (U_GC_C_MASK | U_GC_Z_MASK)) == 0;
  return is_drawn && code != 0xFFFD && character != kWordBegin &&
         !PlainSigns::are_possible_in(character);
}

// The byte of a piece such as <0x0A>, or -1.
int32_t byte_of(std::string_view piece) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  if (piece.size() != 6 || !piece.starts_with("<0x") || piece[5] != '>') return -1;
  const size_t high = kDigits.find(piece[3]), low = kDigits.find(piece[4]);
  return high == kDigits.npos || low == kDigits.npos ? -1 : static_cast<int32_t>(16 * high + low);
}

}  // namespace

PieceLearner::PieceLearner(std::shared_ptr<const Tokenizer> tokenizer)
    : tokenizer_(std::move(tokenizer)),
      parts_(*tokenizer_),
      model_(std::make_unique<const SentencePieceModel>(parts_.model(), parts_.file())) {
  bool is_first = true;
  for (const ModelPiece& piece : parts_.pieces().pieces) {
    if (!piece.normal) continue;
    lowest_ = is_first ? piece.score : std::min(lowest_, piece.score);
    highest_ = is_first ? piece.score : std::max(highest_, piece.score);
    is_first = false;
  }
}

PieceLearner::~PieceLearner() = default;

void PieceLearner::add(std::string_view line) {
  while (!line.empty()) {
    const std::string_view part = first_part(line, Tokenizer::kLongestPart);
    add_part(part);
    line.remove_prefix(part.size());
  }
}

int32_t PieceLearner::symbol_of(NewPiece piece) {
  const auto id = static_cast<int32_t>(symbols_.size());
  ids_.emplace(piece.text, id);
  const int64_t letters = letters_in(piece.text);
  symbols_.push_back({.piece = std::move(piece), .letters = letters});
  return id;
}

int32_t PieceLearner::known(const std::string& text) {
  if (const auto found = ids_.find(text); found != ids_.end()) return found->second;
  const int32_t id = parts_.id(text);
  if (id < 0 || id == tokenizer_->unknown_id() || !parts_.is_text(text)) return kBreak;
  const auto place = static_cast<size_t>(parts_.model_id(text));
  return symbol_of({text, {id}, parts_.pieces().pieces[place].score});
}

int32_t PieceLearner::symbol_of_character(std::string_view text, std::vector<int32_t> parts) {
  const int32_t id = parts_.id(text);
  if (id >= 0) parts = {id};
  int32_t symbol = known(std::string(text));
  if (symbol < 0 && is_worth_a_piece(text))
    symbol = symbol_of({std::string(text), std::move(parts), lowest_});
  if (symbol >= 0 && id < 0) ++symbols_[static_cast<size_t>(symbol)].new_occurrences;
  return symbol;
}

void PieceLearner::add_part(std::string_view text) {
  std::vector<int32_t> symbols, byte_ids;
  std::string bytes;
  const auto end_bytes = [&] {
    for (size_t at = 0; at < bytes.size();) {
      const std::string_view character = first_of(std::string_view(bytes).substr(at));
      const auto begin = byte_ids.begin() + static_cast<std::ptrdiff_t>(at);
      symbols.push_back(symbol_of_character(
          character, {begin, begin + static_cast<std::ptrdiff_t>(character.size())}));
      at += character.size();
    }
    bytes.clear();
    byte_ids.clear();
  };
  const auto encoded = model_->encode(text);
  for (const auto& piece : encoded.pieces()) {
    const std::string& name = piece.piece();
    const int32_t id = parts_.id(name);
    if (const int32_t byte = byte_of(name); byte >= 0 && id >= 0 && !parts_.is_text(name)) {
      bytes += static_cast<char>(byte);
      byte_ids.push_back(id);
      continue;
    }
    end_bytes();
    const bool is_symbol = parts_.model_id(name) >= 0 && !parts_.is_text(name);
    const int32_t symbol = is_symbol ? kBreak : known(name);
    if (is_symbol || symbol >= 0) {
      symbols.push_back(symbol);
      continue;
    }
    for (std::string_view rest = name; !rest.empty();) {
      const std::string_view character = first_of(rest);
      symbols.push_back(symbol_of_character(character, {}));
      rest.remove_prefix(character.size());
    }
  }
  end_bytes();
  add_words(symbols);
}

// Only letters make words; a mark begins one.
void PieceLearner::add_words(const std::vector<int32_t>& symbols) {
  std::vector<int32_t> word;
  const auto end_word = [&] {
    if (word.size() > 1) ++words_[word];
    word.clear();
  };
  for (const int32_t symbol : symbols) {
    const Symbol* const one = symbol < 0 ? nullptr : &symbols_[static_cast<size_t>(symbol)];
    const bool is_word = one != nullptr && one->letters >= 0;
    if (!is_word || one->piece.text.starts_with(kWordBegin) || word.size() == kLongestWord)
      end_word();
    if (is_word) word.push_back(symbol);
  }
  end_word();
}

// Better than its parts, and not so low that unknown characters would get another score. BPE makes
// new merges after all old ones.
double PieceLearner::score_of(double sum) const {
  if (parts_.pieces().model == SubwordModel::kBpe)
    return lowest_ - 1.0 - static_cast<double>(learned_.size());
  constexpr double kMargin = 0.01;
  return std::clamp(sum + kMargin, lowest_, highest_);
}

int32_t PieceLearner::joined(int32_t left, int32_t right) {
  const Symbol &a = symbols_[static_cast<size_t>(left)], &b = symbols_[static_cast<size_t>(right)];
  std::string text = a.piece.text + b.piece.text;
  const bool is_there = ids_.contains(text) || parts_.id(text) >= 0 || parts_.model_id(text) >= 0;
  if (is_there || a.letters + b.letters > kMostLetters) return kBreak;
  NewPiece piece{std::move(text), a.piece.parts, score_of(a.piece.score + b.piece.score)};
  piece.parts.insert(piece.parts.end(), b.piece.parts.begin(), b.piece.parts.end());
  learned_.push_back(piece);
  return symbol_of(std::move(piece));
}

std::vector<NewPiece> PieceLearner::learn(int64_t most) {
  std::vector<const Symbol*> characters;
  for (const Symbol& symbol : symbols_)
    if (symbol.new_occurrences > 0) characters.push_back(&symbol);
  std::ranges::stable_sort(characters, std::greater(), &Symbol::new_occurrences);
  learned_.clear();
  for (const Symbol* character : characters) {
    learned_.push_back(character->piece);
    if (parts_.pieces().model == SubwordModel::kBpe) learned_.back().score = score_of(0.0);
  }
  MergeLearner merges;
  for (const auto& [word, count] : words_) merges.add(word, count);
  merges.learn(most, [&](int32_t left, int32_t right) { return joined(left, right); });
  return learned_;
}

std::vector<int32_t> PieceLearner::text_ids() const {
  std::vector<int32_t> ids;
  for (const ModelPiece& piece : parts_.pieces().pieces)
    if (const int32_t id = parts_.id(piece.text); piece.normal && id >= 0) ids.push_back(id);
  return ids;
}

std::shared_ptr<const Tokenizer> PieceLearner::with(std::span<const std::string> texts,
                                                    std::span<const NewPiece> own) const {
  std::vector<ModelPiece> added;
  for (const NewPiece& piece : own)
    if (parts_.model_id(piece.text) < 0) added.push_back({piece.text, piece.score});
  const std::vector<bool> all(parts_.pieces().pieces.size(), true);
  const std::string model = changed_model(parts_.model(), all, added);
  if (!parts_.vocabulary()) return parts_.changed(model, std::nullopt);
  PieceVocabulary more = *parts_.vocabulary();
  more.pieces.insert(more.pieces.end(), texts.begin(), texts.end());
  return parts_.changed(model, std::move(more));
}

}  // namespace dietmt::data
