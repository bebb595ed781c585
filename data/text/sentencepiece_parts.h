// The parts of a tokenizer whose pieces can be changed: a sentencepiece model and the ids of its
// pieces.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "data/text/model_pieces.h"
#include "data/text/tokenizer.h"

namespace dietmt::data {

class SentencepieceParts {
 public:
  /// Throws DataError, which names the file, for a tokenizer without a sentencepiece model, and for
  /// a model that is neither a unigram nor a BPE model.
  explicit SentencepieceParts(const Tokenizer& tokenizer);
  SentencepieceParts(const SentencepieceParts&) = delete;
  SentencepieceParts& operator=(const SentencepieceParts&) = delete;

  const std::string& file() const { return file_; }
  const std::string& model() const { return model_; }
  const ModelPieces& pieces() const { return pieces_; }
  /// The ids of the pieces; nullopt: those of the model.
  const std::optional<PieceVocabulary>& vocabulary() const { return vocabulary_; }

  /// The place of a piece in the model, or -1.
  int32_t model_id(std::string_view piece) const;
  /// The id of a piece of the vocabulary, or -1.
  int32_t id(std::string_view piece) const;
  /// Whether text can have the piece.
  bool is_text(std::string_view piece) const;

  /// The same kind of tokenizer with another model and vocabulary.
  std::shared_ptr<const Tokenizer> changed(const std::string& model,
                                           std::optional<PieceVocabulary> vocabulary) const;

 private:
  std::string file_, model_;
  ModelPieces pieces_;
  std::optional<PieceVocabulary> vocabulary_;
  std::unordered_map<std::string_view, int32_t> model_ids_;  // of pieces_
  std::unordered_map<std::string_view, int32_t> ids_;        // of pieces_ or vocabulary_
};

}  // namespace dietmt::data
