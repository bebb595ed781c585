#include "data/text/trimmed_pieces.h"

#include <unicode/uloc.h>
#include <unicode/uscript.h>

#include <algorithm>
#include <array>
#include <utility>

#include "common/error.h"
#include "data/text/merged_word.h"
#include "data/text/source_tag.h"
#include "data/text/text_characters.h"

namespace dietmt::data {
namespace {

bool is_one_character(std::string_view piece) {
  return !piece.empty() && first_character_of(piece).bytes == piece.size();
}

// Whether all characters have one of the scripts or none, as digits do.
bool is_written_in(std::string_view piece, const std::set<int32_t>& scripts) {
  while (!piece.empty()) {
    const Character character = first_character_of(piece);
    UErrorCode status = U_ZERO_ERROR;
    const UScriptCode script = uscript_getScript(character.code, &status);
    if (script != USCRIPT_COMMON && script != USCRIPT_INHERITED && !scripts.contains(script))
      return false;
    piece.remove_prefix(character.bytes);
  }
  return true;
}

// What MergedWord needs to know of a piece.
struct Scored {
  double score = 0;
  int32_t id = 0;
};

class ScoredPieces {
 public:
  explicit ScoredPieces(const ModelPieces& model) {
    for (size_t id = 0; id < model.pieces.size(); ++id)
      if (model.pieces[id].normal)
        pieces_.emplace(model.pieces[id].text,
                        Scored{model.pieces[id].score, static_cast<int32_t>(id)});
  }
  const Scored* find(std::string_view piece) const {
    const auto found = pieces_.find(piece);
    return found == pieces_.end() ? nullptr : &found->second;
  }

 private:
  std::unordered_map<std::string_view, Scored> pieces_;
};

// A target language's name at the start of a text for Marian's models.
bool is_marian_tag(std::string_view piece) {
  return piece.starts_with(">>") && piece.ends_with("<<");
}

}  // namespace

std::set<int32_t> scripts_of(const std::string& code) {
  std::array<char, ULOC_FULLNAME_CAPACITY> locale{};
  UErrorCode status = U_ZERO_ERROR;
  uloc_forLanguageTag(code.c_str(), locale.data(), ULOC_FULLNAME_CAPACITY, nullptr, &status);
  std::array<UScriptCode, 16> scripts{};
  const int32_t count = uscript_getCode(locale.data(), scripts.data(), 16, &status);
  if (U_FAILURE(status) || count <= 0 || locale[0] == '\0')
    throw DataError("the script of the language '" + code + "' is unknown");
  return {scripts.begin(), scripts.begin() + count};
}

PieceTrimmer::PieceTrimmer(std::shared_ptr<const Tokenizer> tokenizer)
    : tokenizer_(std::move(tokenizer)),
      parts_(*tokenizer_),
      used_(static_cast<size_t>(tokenizer_->vocabulary_size())) {}

void PieceTrimmer::use(std::string_view line) {
  for (const int32_t id : tokenizer_->encode(line)) used_[static_cast<size_t>(id)] = true;
}

void PieceTrimmer::use_scripts(const std::set<int32_t>& scripts) {
  for (const ModelPiece& piece : parts_.pieces().pieces)
    if (piece.normal && is_written_in(piece.text, scripts)) keep(piece.text, used_);
}

void PieceTrimmer::keep(std::string_view piece, std::vector<bool>& kept) const {
  if (const int32_t id = parts_.id(piece); id >= 0) kept[static_cast<size_t>(id)] = true;
}

bool PieceTrimmer::is_special(int32_t id) const {
  const Tokenizer& t = *tokenizer_;
  if (id == t.unknown_id() || id == t.begin_id() || id == t.end_id() || id == t.separator_id())
    return true;
  if (std::ranges::count(t.source_ending(), id) > 0) return true;
  const std::string piece = t.piece(id);
  const std::string_view word =
      piece.starts_with(kWordBegin) ? std::string_view(piece).substr(kWordBegin.size()) : piece;
  if (dropped_tags_.contains(piece) || dropped_tags_.contains(std::string(word))) return false;
  if (t.is_tag(id) || is_marian_tag(piece)) return true;
  return parts_.model_id(piece) >= 0 && !parts_.is_text(piece);
}

bool PieceTrimmer::is_wanted(std::string_view piece) const {
  return !only_scripts_ || is_written_in(piece, *only_scripts_);
}

// The score of an unknown character depends on the lowest score, that of a symbol of the user on
// the highest.
void PieceTrimmer::keep_extremes(std::vector<bool>& kept) const {
  const ModelPiece *lowest = nullptr, *highest = nullptr;
  for (const ModelPiece& piece : parts_.pieces().pieces) {
    if (!piece.normal) continue;
    if (lowest == nullptr || piece.score < lowest->score) lowest = &piece;
    if (highest == nullptr || piece.score > highest->score) highest = &piece;
  }
  if (lowest == nullptr) return;
  keep(lowest->text, kept);
  keep(highest->text, kept);
}

// Also the pieces that have a character without its own piece.
void PieceTrimmer::keep_characters(std::vector<bool>& kept) const {
  std::set<std::string_view> characters;
  for (const ModelPiece& piece : parts_.pieces().pieces) {
    if (!piece.normal || !is_one_character(piece.text)) continue;
    characters.insert(piece.text);
    if (is_wanted(piece.text)) keep(piece.text, kept);
  }
  for (const ModelPiece& piece : parts_.pieces().pieces) {
    if (!piece.normal || !is_wanted(piece.text)) continue;
    for (std::string_view rest = piece.text; !rest.empty();) {
      const std::string_view character = rest.substr(0, first_character_of(rest).bytes);
      if (!characters.contains(character)) keep(piece.text, kept);
      rest.remove_prefix(character.size());
    }
  }
}

// What BPE makes on its way to a piece. Pieces that the vocabulary lacks stay in the model.
void PieceTrimmer::keep_merged(std::vector<bool>& kept) const {
  if (parts_.pieces().model != SubwordModel::kBpe) return;
  const ScoredPieces scored(parts_.pieces());
  const std::vector<bool> wanted = kept;
  for (const ModelPiece& piece : parts_.pieces().pieces) {
    const int32_t id = parts_.id(piece.text);
    if (!piece.normal || (id >= 0 && !wanted[static_cast<size_t>(id)])) continue;
    MergedWord word(piece.text, scored);
    const auto leaves_out = [] { return false; };
    for (std::string_view made = word.step(leaves_out); !made.empty(); made = word.step(leaves_out))
      keep(made, kept);
  }
}

std::vector<bool> PieceTrimmer::kept() const {
  std::vector<bool> kept = used_;
  for (int32_t id = 0; id < tokenizer_->vocabulary_size(); ++id)
    if (is_special(id)) kept[static_cast<size_t>(id)] = true;
  keep_extremes(kept);
  keep_characters(kept);
  keep_merged(kept);
  return kept;
}

std::shared_ptr<const Tokenizer> PieceTrimmer::only(const std::vector<bool>& kept) const {
  const std::vector<ModelPiece>& pieces = parts_.pieces().pieces;
  std::vector<bool> kept_in_model;
  for (const ModelPiece& piece : pieces) {
    const int32_t id = parts_.id(piece.text);
    kept_in_model.push_back(id < 0 || kept[static_cast<size_t>(id)]);
  }
  const std::string model = changed_model(parts_.model(), kept_in_model);
  if (!parts_.vocabulary()) return parts_.changed(model, std::nullopt);
  const PieceVocabulary& old = *parts_.vocabulary();
  PieceVocabulary fewer = old;
  std::vector<int32_t> moved(old.pieces.size(), -1);
  fewer.pieces.clear();
  for (size_t id = 0; id < old.pieces.size(); ++id) {
    if (!kept[id]) continue;
    moved[id] = static_cast<int32_t>(fewer.pieces.size());
    fewer.pieces.push_back(old.pieces[id]);
  }
  fewer.tags.clear();
  for (const int32_t tag : old.tags)
    if (moved[static_cast<size_t>(tag)] >= 0) fewer.tags.push_back(moved[static_cast<size_t>(tag)]);
  for (int32_t* const id : {&fewer.unknown, &fewer.begin, &fewer.end, &fewer.source_language})
    if (*id >= 0) *id = moved[static_cast<size_t>(*id)];
  return parts_.changed(model, std::move(fewer));
}

}  // namespace dietmt::data
