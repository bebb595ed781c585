// Subwords for encoder-only models (Devlin et al. 2019), with their positions in the text.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dietmt::data {

/// Ids of the special pieces, and how they stand between texts.
struct SpecialPieces {
  int32_t pad = 0;         // [PAD]
  int32_t unknown = 1;     // [UNK]
  int32_t classify = 2;    // [CLS]
  int32_t separate = 3;    // [SEP]
  int32_t mask = 4;        // [MASK]
  int64_t separators = 1;  // [SEP] between two texts; 2 in RoBERTa
};

/// The names of the special pieces in a text.
using SpecialNames = std::array<std::pair<std::string_view, int32_t SpecialPieces::*>, 5>;

inline constexpr SpecialNames kSpecialPieces{{{"[PAD]", &SpecialPieces::pad},
                                              {"[UNK]", &SpecialPieces::unknown},
                                              {"[CLS]", &SpecialPieces::classify},
                                              {"[SEP]", &SpecialPieces::separate},
                                              {"[MASK]", &SpecialPieces::mask}}};

/// Those of fairseq, for RoBERTa and XLM-R.
inline constexpr SpecialNames kFairseqSpecialPieces{{{"<pad>", &SpecialPieces::pad},
                                                     {"<unk>", &SpecialPieces::unknown},
                                                     {"<s>", &SpecialPieces::classify},
                                                     {"</s>", &SpecialPieces::separate},
                                                     {"<mask>", &SpecialPieces::mask}}};

bool is_special(int32_t id, const SpecialPieces& special);

/// Bytes begin .. end-1 of a text: the name of a special piece, or text between two of them.
struct TextPart {
  int32_t begin;
  int32_t end;
  int32_t special_id;  // -1: text
};

/// The whole text in order, without empty segments. A name counts anywhere, also inside a word,
/// but not in other case. Throws Error for a text of 2 GiB or more.
std::vector<TextPart> split_at_special_pieces(std::string_view text, const SpecialPieces& special,
                                              const SpecialNames& names = kSpecialPieces);

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

/// The tokenizer's file in a model directory: the first of those that load_bert_tokenizer() reads;
/// none: there is none.
std::optional<std::filesystem::path> bert_tokenizer_file(const std::filesystem::path& directory);

/// From a model directory, or one of its files: `vocab.txt` (WordPiece; `tokenizer_config.json` or
/// `config.json` in its directory says how text is normalised), `tokenizer.model` (sentencepiece)
/// or `sentencepiece.bpe.model` (sentencepiece with the ids of XLM-R). Throws DataError naming the
/// file.
std::unique_ptr<BertTokenizer> load_bert_tokenizer(const std::filesystem::path& path);

/// The input of an encoder-only model (Devlin et al. 2019, 3.1) from one text or two:
///
///   [CLS] first [SEP]      [CLS] first [SEP] second [SEP]
///
/// RoBERTa has two [SEP] between the texts (Liu et al. 2019).
struct EncoderInput {
  std::vector<int32_t> ids = {};
  int64_t second_begin = 0;  // segment 1 begins there; ids.size() without a second text
  int64_t cut = 0;           // pieces that did not fit
};

/// An input of at most `max_length` pieces, or of only the special ones if these are more. Removes
/// pieces one by one from the end of the longer text, or of the second one if both are equally
/// long.
EncoderInput encoder_input(std::span<const int32_t> first,
                           std::optional<std::span<const int32_t>> second,
                           const SpecialPieces& special, int64_t max_length);

}  // namespace dietmt::data
