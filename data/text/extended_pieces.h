// New pieces for a vocabulary, learned from text: the characters that it cannot write, and words or
// parts of words that it cuts into many pieces. They join neighbouring pieces of the old
// vocabulary, so that the changed tokenizer takes them wherever the old one had cut so, and text
// without them is cut as before.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/text/sentencepiece_parts.h"

namespace dietmt::data {

class SentencePieceModel;

struct NewPiece {
  std::string text;
  std::vector<int32_t> parts;  // what the old vocabulary makes of it, without unknown characters
  double score = 0;            // in the sentencepiece model
};

class PieceLearner {
 public:
  /// Throws DataError as SentencepieceParts does.
  explicit PieceLearner(std::shared_ptr<const Tokenizer> tokenizer);
  ~PieceLearner();

  /// A line of text; UTF-8.
  void add(std::string_view line);

  /// All characters that the vocabulary lacks or writes as bytes, the most frequent first, and then
  /// up to `most` other pieces of at most 16 letters that occur twice or more.
  std::vector<NewPiece> learn(int64_t most);

  /// The ids of all pieces that text can have.
  std::vector<int32_t> text_ids() const;

  /// The tokenizer with new pieces. `texts`: new pieces of the vocabulary, in order; `own`: those
  /// that the sentencepiece model gets.
  std::shared_ptr<const Tokenizer> with(std::span<const std::string> texts,
                                        std::span<const NewPiece> own) const;

 private:
  struct Symbol {
    NewPiece piece;
    int64_t letters = 0;          // -1: it has other characters
    int64_t new_occurrences = 0;  // of a character that the vocabulary lacks
  };

  int32_t symbol_of(NewPiece piece);
  /// The symbol of a piece or character that the vocabulary has, or -1.
  int32_t known(const std::string& text);
  /// Also of a character that it lacks, unless no vocabulary should have it.
  int32_t symbol_of_character(std::string_view text, std::vector<int32_t> parts);
  void add_part(std::string_view text);
  void add_words(const std::vector<int32_t>& symbols);
  int32_t joined(int32_t left, int32_t right);
  double score_of(double sum) const;

  const std::shared_ptr<const Tokenizer> tokenizer_;
  const SentencepieceParts parts_;
  const std::unique_ptr<const SentencePieceModel> model_;
  double lowest_ = 0, highest_ = 0;  // scores of the model
  std::vector<Symbol> symbols_;
  std::unordered_map<std::string, int32_t> ids_;  // of symbols_
  std::map<std::vector<int32_t>, int64_t> words_;
  std::vector<NewPiece> learned_;
};

}  // namespace dietmt::data
