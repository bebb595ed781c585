// Sentencepiece models (Kudo and Richardson 2018) for encoder-only models. They do not split text
// at white space and punctuation first, so one model serves any mix of scripts.
#pragma once

#include "data/text/bert_tokenizer.h"

namespace dietmt::data {

inline constexpr const char* kSentencePieceFile = "tokenizer.model";
inline constexpr const char* kFairseqModelFile = "sentencepiece.bpe.model";

/// Where ids of pieces come from.
enum class PieceNumbering {
  kOwn,  // the sentencepiece model, which has the special pieces
  /// fairseq's dictionary, as in XLM-R (Conneau et al. 2020): <s>, <pad>, </s>, <unk>, the pieces
  /// of the sentencepiece model without its first three, <mask>.
  kFairseq,
};

/// With the numbering kOwn: a model with the pieces [PAD], [UNK], [CLS], [SEP] and [MASK], such as
/// train_tokenizer() makes with SpecialSet::kBert. The name of a special piece in the text is that
/// piece.
///
/// The bytes of a piece leave out white space at either end, which its text writes as U+2581, so
/// that a piece of only white space has no bytes. The pieces of one character that was written out
/// (a ligature, say) have all its bytes.
class SentencePieceBert : public BertTokenizer {
 public:
  /// Throws DataError naming the file.
  explicit SentencePieceBert(const std::filesystem::path& model_file,
                             PieceNumbering numbering = PieceNumbering::kOwn);
  ~SentencePieceBert() override;

  TextPieces encode(std::string_view text) const override;
  std::string decode(std::span<const int32_t> ids) const override;
  int64_t vocabulary_size() const override;
  std::string piece(int32_t id) const override;

  /// Whether the piece does not begin with U+2581. [UNK] stands for characters inside a word: the
  /// U+2581 before them is a separate piece.
  bool continues_word(int32_t id) const override;

  const SpecialPieces& special() const override { return special_; }

  /// Writes tokenizer.model or, with fairseq's ids, sentencepiece.bpe.model.
  void save(const std::filesystem::path& directory) const override;

 private:
  bool is_fairseq() const { return numbering_ == PieceNumbering::kFairseq; }
  int32_t id_of(int64_t model_id) const;
  int model_id_of(int32_t id) const;  // of a piece that is not special
  void check(int32_t id) const;
  void append_text(std::string_view text, int32_t begin, int32_t end, TextPieces& pieces) const;

  struct Impl;
  std::unique_ptr<Impl> impl_;
  PieceNumbering numbering_;
  SpecialPieces special_;
};

}  // namespace dietmt::data
