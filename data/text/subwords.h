// The implementation of Tokenizer: the pieces of a sentencepiece model, with its own ids or those
// of a PieceVocabulary, the words of a PieceVocabulary, or those that byte pair encoding makes of
// text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/text/tokenizer.h"

namespace dietmt::data {

/// The members are those of Tokenizer; texts are UTF-8.
class Subwords {
 public:
  virtual ~Subwords() = default;
  virtual std::vector<int32_t> encode(std::string_view text) const = 0;
  /// The most bytes that encode() takes at once; longer text is divided.
  virtual size_t longest_part() const { return Tokenizer::kLongestPart; }
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

// The first line of a file with a PieceVocabulary, whose second line is JSON. The rest is a
// sentencepiece model, nothing, or what merged_pieces() reads.
inline constexpr std::string_view kNumbersMagic = "dietmt pieces 1\n";
inline constexpr std::string_view kWordsMagic = "dietmt words 1\n";
inline constexpr std::string_view kMergesMagic = "dietmt merges 1\n";

/// What load_subwords() reads.
std::string serialized(std::string_view magic, const PieceVocabulary& vocabulary,
                       std::string_view rest);

/// The vocabulary in the bytes of serialized().
PieceVocabulary stored_vocabulary(const std::string& bytes);

/// The pieces of a sentencepiece model, given by its bytes, with its own ids. Throws DataError with
/// `where` and what is wrong.
std::unique_ptr<const Subwords> own_subwords(std::string model, const std::string& where);

/// The pieces of a sentencepiece model, given by its bytes, with the ids of `vocabulary`. Throws
/// DataError with `where` and what is wrong.
std::unique_ptr<const Subwords> numbered_subwords(const std::string& model,
                                                  const PieceVocabulary& vocabulary,
                                                  const std::string& where);

/// The pieces of byte pair encoding. `rules`: how text is divided before, in one line, and the
/// merges (data/text/merged_pieces.h). Throws DataError with `where`, its line and what is wrong.
std::unique_ptr<const Subwords> merged_pieces(PieceVocabulary vocabulary, const std::string& rules,
                                              const std::string& where);

}  // namespace dietmt::data
