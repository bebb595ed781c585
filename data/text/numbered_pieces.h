// What all Subwords with the ids of a PieceVocabulary have in common.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "data/text/subwords.h"

namespace dietmt::data {

class NumberedPieces : public Subwords {
 public:
  /// Throws DataError that says what is wrong with the vocabulary.
  explicit NumberedPieces(PieceVocabulary vocabulary);

  int64_t size() const override { return std::ssize(vocabulary_.pieces); }
  int32_t unknown() const override { return vocabulary_.unknown; }
  int32_t begin() const override { return vocabulary_.begin; }
  int32_t end() const override { return vocabulary_.end; }
  std::vector<int32_t> source_ending() const override;
  int32_t separator() const override { return separator_; }
  bool is_tag(int32_t id) const override { return tags_.contains(id); }
  std::string piece(int32_t id) const override;
  const std::string& serialized() const override { return serialized_; }
  const std::string& sentencepiece() const override { return no_model_; }

 protected:
  bool is_special(int32_t id) const {
    return id == begin() || id == end() || id == separator_ || is_tag(id);
  }
  /// The id of a piece; -1 if there is none.
  int32_t id_of(std::string_view piece) const;
  /// The tag that `text` starts with, up to its first space; empty if there is none.
  std::string_view leading_tag(std::string_view text) const;
  /// The vocabulary with kSeparatorPiece, which it lacks.
  PieceVocabulary longer_vocabulary() const;

  const PieceVocabulary vocabulary_;
  int32_t separator_ = -1;
  std::string serialized_;

 private:
  const std::unordered_map<std::string, int32_t> ids_;
  const std::unordered_set<int32_t> tags_;
  const std::string no_model_;
};

}  // namespace dietmt::data
