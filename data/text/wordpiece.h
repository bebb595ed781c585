// WordPiece (Wu et al. 2016) as BERT uses it: a word is cut into the longest pieces of a vocabulary
// from left to right; all but the first are written with "##" in front.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/text/bert_normalizer.h"
#include "data/text/bert_tokenizer.h"

namespace dietmt::data {

/// Ids are those of Hugging Face's BertTokenizerFast with the same files. A word of more than 100
/// characters, or with a part that matches no piece, is one [UNK]. The name of a special piece in
/// the text is that piece.
class WordPieceTokenizer : public BertTokenizer {
 public:
  /// `vocabulary_file`: one piece a line, its id is the number of lines before it. Throws DataError
  /// (file:line) for text that is not UTF-8, a duplicate piece or a missing special piece.
  WordPieceTokenizer(const std::filesystem::path& vocabulary_file, const BertTextOptions& options);

  TextPieces encode(std::string_view text) const override;

  /// Words with one space between them, punctuation too.
  std::string decode(std::span<const int32_t> ids) const override;

  int64_t vocabulary_size() const override { return static_cast<int64_t>(pieces_.size()); }
  std::string piece(int32_t id) const override;
  bool continues_word(int32_t id) const override;
  const SpecialPieces& special() const override { return special_; }

  /// Writes vocab.txt and tokenizer_config.json, which Hugging Face's tokenizers load too.
  void save(const std::filesystem::path& directory) const override;

  const BertTextOptions& text_options() const { return options_; }

 private:
  using Table = std::unordered_map<std::string_view, int32_t>;

  void read_vocabulary(const std::filesystem::path& file);
  void append_word(std::span<const SourceCharacter> word, TextPieces& pieces) const;
  const std::string& checked_piece(int32_t id) const;

  BertTextOptions options_;
  std::vector<std::string> pieces_;
  Table first_pieces_;  // the keys of both tables point into pieces_
  Table later_pieces_;  // keys without "##"
  size_t longest_ = 0;  // bytes of the longest piece
  SpecialPieces special_;
};

/// How the text of a model is normalised: the keys do_lower_case, strip_accents and
/// tokenize_chinese_chars of tokenizer_config.json, where there is none of config.json; a key that
/// is missing or null has BERT's default. Throws DataError naming the file.
BertTextOptions read_text_options(const std::filesystem::path& directory);

}  // namespace dietmt::data
