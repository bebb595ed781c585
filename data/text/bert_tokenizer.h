// Subwords for encoder-only models (Devlin et al. 2019), with their positions in the text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dietmt::data {

/// Ids of the special pieces.
struct SpecialPieces {
  int32_t pad = 0;       // [PAD]
  int32_t unknown = 1;   // [UNK]
  int32_t classify = 2;  // [CLS]
  int32_t separate = 3;  // [SEP]
  int32_t mask = 4;      // [MASK]
};

/// Piece i stands for bytes begins[i] .. ends[i]-1 of the text.
struct TextPieces {
  std::vector<int32_t> ids;
  std::vector<int32_t> begins;
  std::vector<int32_t> ends;
};

/// Immutable; safe to share between threads.
class BertTokenizer {
 public:
  virtual ~BertTokenizer() = default;

  /// Without [CLS] and [SEP]. Bytes that are not UTF-8 count as U+FFFD.
  virtual TextPieces encode(std::string_view text) const = 0;

  /// Text of the ids, without special pieces.
  virtual std::string decode(std::span<const int32_t> ids) const = 0;

  virtual int64_t vocabulary_size() const = 0;
  virtual std::string piece(int32_t id) const = 0;

  /// Whether the piece continues the word of the previous piece (whole-word masking).
  virtual bool continues_word(int32_t id) const = 0;

  virtual const SpecialPieces& special() const = 0;

  /// Writes the files that load_bert_tokenizer() reads, atomically.
  virtual void save(const std::filesystem::path& directory) const = 0;
};

/// From a model directory, or one of its files: `vocab.txt` (WordPiece; `tokenizer_config.json` or
/// `config.json` beside it says how text is normalised) or `tokenizer.model` (sentencepiece).
/// Throws DataError naming the file.
std::unique_ptr<BertTokenizer> load_bert_tokenizer(const std::filesystem::path& path);

}  // namespace dietmt::data
