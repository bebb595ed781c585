// Subword tokenization with sentencepiece (Kudo and Richardson 2018).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/text/utf8_lines.h"

namespace dietmt::data {

class Subwords;

/// The piece between the sentences of a document that a model translates together. It is a control
/// piece: no text has it.
inline constexpr std::string_view kSeparatorPiece = "<sep>";

/// Ids for the pieces of sentencepiece models that differ from the models' own: Marian models have
/// one vocabulary for the sentencepiece models of both languages.
struct PieceVocabulary {
  std::vector<std::string> pieces;  // by id, each once
  int32_t unknown = -1;             // of all other pieces
  int32_t begin = -1;
  int32_t end = -1;
  bool ends_source = true;  // whether a model reads end of sentence after a source
  /// Pieces that no text has, such as the `__de__` of M2M-100, which name the language of a
  /// sentence. At the start of a text one is taken whole; decoding leaves them out.
  std::vector<int32_t> tags = {};
  int32_t source_language = -1;  // follows end of sentence after a source, as in mBART; -1: none
};

/// The pieces of a sentencepiece model with its own ids, and the special pieces that it has.
/// Throws DataError naming the file.
PieceVocabulary sentencepiece_vocabulary(const std::filesystem::path& model_file);

/// Bytes begin .. end-1 of a text.
struct TextSpan {
  int32_t begin = 0;
  int32_t end = 0;

  bool operator==(const TextSpan&) const = default;
};

/// Piece ids, and the bytes of the text that each stands for. A piece that starts a word also has
/// the space before it.
struct SpannedPieces {
  std::vector<int32_t> ids;
  std::vector<TextSpan> spans;
};

/// The text of pieces, and the bytes in it of each of them; none for begin and end of sentence.
struct SpannedText {
  std::string text;
  std::vector<TextSpan> spans;
};

/// A trained subword model: text to piece ids and back. Immutable; safe to share between threads.
class Tokenizer {
 public:
  /// A sentencepiece model, or the bytes of serialized(). Throws DataError naming the file.
  explicit Tokenizer(const std::filesystem::path& model_file);

  /// A sentencepiece model whose pieces have the ids of `vocabulary`. A piece such as `>>fra<<` at
  /// the start of a text is taken whole, like a tag: it tells Marian models of several target
  /// languages which one is wanted. Throws DataError naming the file and what is wrong with the
  /// vocabulary.
  Tokenizer(const std::filesystem::path& model_file, const PieceVocabulary& vocabulary);

  /// Any other pieces. `file`: for messages.
  Tokenizer(std::string file, std::unique_ptr<const Subwords> subwords);
  ~Tokenizer();

  /// The most bytes that become pieces together. A longer line is divided, before a space if there
  /// is one: sentencepiece takes quadratic time for a run of unknown characters.
  static constexpr size_t kLongestPart = 8192;

  /// Piece ids of one line, without begin or end of sentence. Bytes that are not UTF-8 count as
  /// U+FFFD; apostrophes and hyphens that the vocabulary lacks as those of keyboards
  /// (data/text/plain_signs.h). After `most` pieces and one more, the rest of a long line is not
  /// read.
  std::vector<int32_t> encode(std::string_view line,
                              int64_t most = std::numeric_limits<int64_t>::max()) const;

  /// The ids of encode() with their bytes in `line`, which must be UTF-8.
  SpannedPieces encode_with_spans(std::string_view line,
                                  int64_t most = std::numeric_limits<int64_t>::max()) const;

  /// Text of the ids, without begin and end of sentence.
  std::string decode(std::span<const int32_t> ids) const;

  /// The text of decode() and the bytes of each id in it.
  SpannedText decode_with_spans(std::span<const int32_t> ids) const;

  /// The file that it was read from, for messages.
  const std::string& file() const { return file_; }

  int64_t vocabulary_size() const;
  int32_t unknown_id() const;
  int32_t begin_id() const;
  int32_t end_id() const;
  /// What ends a source sentence: end_id(); nothing in models of OpenNMT; in mBART's also the
  /// language.
  std::vector<int32_t> source_ending() const;
  /// The id of kSeparatorPiece, or -1.
  int32_t separator_id() const;
  std::string piece(int32_t id) const;
  /// Whether the piece is one of PieceVocabulary::tags.
  bool is_tag(int32_t id) const;

  /// The tokenizer as bytes, to be stored with the weights.
  const std::string& serialized() const;

  /// Only the sentencepiece model, as bytes; empty for a list of pieces.
  const std::string& sentencepiece() const;

 private:
  friend std::shared_ptr<const Tokenizer> with_separator(std::shared_ptr<const Tokenizer>);

  /// The pieces of a text that is not divided.
  std::vector<int32_t> encode_part(std::string_view part) const;
  SpannedPieces encode_part_with_spans(std::string_view part) const;

  std::string file_;
  std::unique_ptr<const Subwords> subwords_;
};

/// A sentencepiece model, or the list of pieces of another toolkit (data/text/piece_list.h), for
/// text that is already cut into them: its words are the pieces. Throws DataError naming the file
/// and, of a list, the line.
std::shared_ptr<const Tokenizer> open_tokenizer(const std::filesystem::path& file);

/// The tokenizer if it has kSeparatorPiece, else one that has it too, with the last id; all other
/// pieces keep theirs. Throws DataError, which names the file, if text has a piece of that name.
std::shared_ptr<const Tokenizer> with_separator(std::shared_ptr<const Tokenizer> tokenizer);

/// Text as the pieces of a sentencepiece model, for metrics over subwords: a function that returns
/// the pieces with spaces between them; characters without a piece stay as they are. Throws
/// DataError naming the file if it is no sentencepiece model.
std::function<std::string(std::string_view)> piece_splitter(const std::filesystem::path& file);

}  // namespace dietmt::data
