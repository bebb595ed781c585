#include "data/text/numbered_pieces.h"

#include "common/error.h"
#include "common/text_io.h"

namespace dietmt::data {
namespace {

void check(const PieceVocabulary& vocabulary) {
  const auto size = static_cast<int64_t>(vocabulary.pieces.size());
  for (const std::string& piece : vocabulary.pieces)
    if (invalid_utf8_at(piece) < piece.size())
      throw DataError("the vocabulary has the piece '" + replace_invalid_utf8(piece) +
                      "', which is not UTF-8");
  for (const auto& [id, meaning] : {std::pair(vocabulary.unknown, "unknown words"),
                                    std::pair(vocabulary.begin, "begin of sentence"),
                                    std::pair(vocabulary.end, "end of sentence")}) {
    if (id < 0 || id >= size)
      throw DataError(std::string("the vocabulary lacks a piece for ") + meaning);
  }
  for (const int32_t id : vocabulary.tags)
    if (id < 0 || id >= size || id == vocabulary.unknown)
      throw DataError("the tag " + std::to_string(id) + " is not a piece of the vocabulary of " +
                      std::to_string(size));
  if (vocabulary.source_language < -1 || vocabulary.source_language >= size)
    throw DataError("source_language is " + std::to_string(vocabulary.source_language) +
                    ", not a piece of the vocabulary of " + std::to_string(size));
  if (vocabulary.begin == vocabulary.end || vocabulary.unknown == vocabulary.begin ||
      vocabulary.unknown == vocabulary.end)
    throw DataError("unknown words, begin and end of sentence must have different pieces");
}

std::unordered_map<std::string, int32_t> ids_of(const PieceVocabulary& vocabulary) {
  check(vocabulary);
  std::unordered_map<std::string, int32_t> ids;
  for (size_t id = 0; id < vocabulary.pieces.size(); ++id) {
    if (!ids.emplace(vocabulary.pieces[id], static_cast<int32_t>(id)).second)
      throw DataError("the vocabulary has the piece '" + vocabulary.pieces[id] + "' twice");
  }
  return ids;
}

}  // namespace

NumberedPieces::NumberedPieces(PieceVocabulary vocabulary)
    : vocabulary_(std::move(vocabulary)),
      ids_(ids_of(vocabulary_)),
      tags_(vocabulary_.tags.begin(), vocabulary_.tags.end()) {
  separator_ = id_of(kSeparatorPiece);
}

std::vector<int32_t> NumberedPieces::source_ending() const {
  std::vector<int32_t> ending;
  if (vocabulary_.ends_source) ending.push_back(vocabulary_.end);
  if (vocabulary_.source_language >= 0) ending.push_back(vocabulary_.source_language);
  return ending;
}

std::string NumberedPieces::piece(int32_t id) const {
  if (id < 0 || id >= size())
    throw Error("piece id " + std::to_string(id) + " is outside the vocabulary");
  return vocabulary_.pieces[static_cast<size_t>(id)];
}

int32_t NumberedPieces::id_of(std::string_view piece) const {
  const auto found = ids_.find(std::string(piece));
  return found == ids_.end() ? -1 : found->second;
}

std::string_view NumberedPieces::leading_tag(std::string_view text) const {
  if (tags_.empty()) return {};
  const std::string_view tag = text.substr(0, text.find(' '));
  const int32_t id = id_of(tag);
  return id >= 0 && is_tag(id) ? tag : std::string_view();
}

PieceVocabulary NumberedPieces::longer_vocabulary() const {
  PieceVocabulary longer = vocabulary_;
  longer.pieces.emplace_back(kSeparatorPiece);
  return longer;
}

}  // namespace dietmt::data
