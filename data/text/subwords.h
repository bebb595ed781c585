// The implementation of Tokenizer: the pieces of a sentencepiece model, with its own ids or those
// of a PieceVocabulary, or the words of a PieceVocabulary.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/text/tokenizer.h"

namespace dietmt::data {

/// The members are those of Tokenizer; texts are UTF-8.
class Subwords {
 public:
  virtual ~Subwords() = default;
  virtual std::vector<int32_t> encode(std::string_view text) const = 0;
  virtual SpannedPieces encode_with_spans(std::string_view text) const = 0;
  virtual std::string decode(std::span<const int32_t> ids) const = 0;
  virtual SpannedText decode_with_spans(std::span<const int32_t> ids) const = 0;
  virtual int64_t size() const = 0;
  virtual int32_t unknown() const = 0;
  virtual int32_t begin() const = 0;
  virtual int32_t end() const = 0;
  virtual std::vector<int32_t> source_ending() const = 0;
  virtual int32_t separator() const = 0;
  virtual bool is_tag(int32_t id) const = 0;
  /// The same pieces and kSeparatorPiece, which they lack; `where` names them in errors.
  virtual std::unique_ptr<const Subwords> with_separator(const std::string& where) const = 0;
  virtual std::string piece(int32_t id) const = 0;
  virtual const std::string& serialized() const = 0;
  virtual const std::string& sentencepiece() const = 0;  // empty: there is none
};

/// A file with a sentencepiece model, or with the bytes of Subwords of either kind. Throws
/// DataError naming the file.
std::unique_ptr<const Subwords> load_subwords(const std::filesystem::path& file);

/// Also a list of pieces (data/text/piece_list.h).
std::unique_ptr<const Subwords> load_subwords_or_list(const std::filesystem::path& file);

/// The pieces of text whose words, between white space, are pieces of `vocabulary`. Throws
/// DataError with `where` and what is wrong with it.
std::unique_ptr<const Subwords> listed_words(PieceVocabulary vocabulary, const std::string& where);

/// The id of each piece. Throws DataError that says what is wrong with the vocabulary.
std::unordered_map<std::string, int32_t> ids_of(const PieceVocabulary& vocabulary);

/// Tokenizer::source_ending() of the pieces.
std::vector<int32_t> source_ending(const PieceVocabulary& vocabulary);

/// What load_subwords() reads. `sentencepiece`: a model, or empty for listed words.
std::string serialized(const PieceVocabulary& vocabulary, const std::string& sentencepiece);

/// The pieces of a sentencepiece model, given by its bytes, with the ids of `vocabulary`. Throws
/// DataError with `where` and what is wrong.
std::unique_ptr<const Subwords> numbered_subwords(const std::string& model,
                                                  const PieceVocabulary& vocabulary,
                                                  const std::string& where);

}  // namespace dietmt::data
