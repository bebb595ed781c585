// The vocabulary of another program's model, and what the model's tables lack of its pieces.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/text/tokenizer.h"
#include "interchange/foreign_tensors.h"

namespace dietmt::interchange {

struct ImportedVocabulary {
  std::shared_ptr<const data::Tokenizer> tokenizer;
  int64_t pieces = 0;  // that the model has; the tokenizer's next ones are these:
  /// The piece whose row each of them starts as; -1: zeros.
  std::vector<int32_t> added = {};

  /// A table [pieces, ...] of the model, with rows for the added pieces. Throws CheckpointError if
  /// it has another number of rows.
  at::Tensor rows(const at::Tensor& table, const ForeignTensors& tensors) const;
};

/// How text becomes pieces: the bytes of a sentencepiece model, or data::merge_rules(), and the
/// name of their file. Without bytes, words are the pieces.
struct Splitter {
  std::string bytes;
  std::string where;
  bool are_merges = false;
};

/// The pieces of a model, split by `splitter`. A decoder that starts from end of sentence, or from
/// a piece that the model lacks (numbered.begin), gets a separate piece for that: it starts as a
/// copy, and is never generated. So does a source without end of sentence. Throws DataError naming
/// the file.
ImportedVocabulary imported_vocabulary(data::PieceVocabulary numbered, const Splitter& splitter);

/// The languages that pieces name: `eng_Latn`, `en_XX` and `__en__` begin sources and translations,
/// or `<2en>` and `>>eng<<` sources. The former become tags of the vocabulary. A single language is
/// no choice.
nmt::ModelLanguages languages_of(data::PieceVocabulary& vocabulary);

/// Makes tags of the pieces that transformers' tokenizers leave out of texts, as they do languages:
/// <pad>, <mask>, <extra_id_0> and the like.
void hide_special_pieces(data::PieceVocabulary& vocabulary);

/// Multiplies the weights that make queries.
void scale_queries(double factor, const nmt::ModelConfig& config, TensorsByName& values);

/// The embeddings and the output layer of another program's model.
struct ImportedTables {
  at::Tensor source;          // [Vs, D]
  at::Tensor target;          // [Vt, D]; undefined: the source's
  at::Tensor output;          // [Vt, D]; undefined: the target's
  at::Tensor output_bias;     // [Vt]; undefined: none
  double source_scale = 1.0;  // by which the program multiplies embeddings
  double target_scale = 1.0;
  double output_scale = 1.0;  // and the products with the output layer
};

/// Whether two tables have the same numbers.
bool is_one_table(const at::Tensor& a, const at::Tensor& b);

/// Our tables are multiplied by sqrt(D) when they embed. Tables of other scales are divided, and
/// the last norm of the decoder, which `values` must have, makes up for that where they are the
/// output layer too. Sets the sizes and ties of `config`, and the parameters in `values`.
void set_tables(const ImportedTables& tables, const ImportedVocabulary& source,
                const ImportedVocabulary& target, const ForeignTensors& tensors,
                nmt::ModelConfig& config, TensorsByName& values);

}  // namespace dietmt::interchange
