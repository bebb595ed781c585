// A trained model with a longer or shorter vocabulary: its tokenizers, and the rows of its
// embeddings and output layer that belong to their pieces.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "nmt/model/model_files.h"
#include "nmt/network/model_directory.h"

namespace dietmt::nmt {

/// Files of text in the languages of a model (data::TextReader). One vocabulary for both is
/// changed by both.
struct VocabularyText {
  std::vector<std::string> source;
  std::vector<std::string> target;
};

struct ChangedModel {
  ModelConfig config;
  std::map<std::string, at::Tensor> weights;
  Tokenizers tokenizers;
};

/// The rows of a changed table.
struct RowSources {
  std::vector<std::vector<int32_t>> rows;  // the old rows whose mean each is; none: that of `text`
  std::vector<int32_t> text;               // the old rows of all pieces that text has
};

/// table: [V] or [V, D].
at::Tensor changed_rows(const at::Tensor& table, const RowSources& sources);

/// Adds the characters of the text that the vocabulary lacks and up to `pieces` others
/// (data::PieceLearner) to the vocabulary of each side that has text. The vectors and output
/// weights of a new piece are the means of those of its old pieces, so its score is never above the
/// best of theirs: a greedy search finds what it found before. Throws DataError for a vocabulary
/// that cannot be changed, CheckpointError for packed weights.
ChangedModel extend_vocabulary(const ModelFiles& files, const VocabularyText& text, int64_t pieces);

/// Removes the pieces that neither the text nor the characters of other text need
/// (data::PieceTrimmer). `languages`: keeps only these of the languages that the model has, and
/// only the characters of their scripts; without text, all pieces of their scripts. Throws as
/// extend_vocabulary() does, and DataError for a language that the model does not have.
ChangedModel trim_vocabulary(const ModelFiles& files, const VocabularyText& text,
                             const std::vector<std::string>& languages);

}  // namespace dietmt::nmt
