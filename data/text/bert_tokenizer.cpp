#include "data/text/bert_tokenizer.h"

#include "common/error.h"
#include "common/files.h"
#include "data/text/sentencepiece_bert.h"
#include "data/text/wordpiece.h"

namespace dietmt::data {

std::unique_ptr<BertTokenizer> load_bert_tokenizer(const std::filesystem::path& path) {
  std::filesystem::path file = path;
  if (std::filesystem::is_directory(path)) {
    file = path / "vocab.txt";
    if (!std::filesystem::exists(file)) file = path / "tokenizer.model";
    if (!std::filesystem::exists(file))
      throw DataError(path.string() + ": holds neither vocab.txt nor tokenizer.model");
  }
  require_intact(file);
  if (file.extension() == ".txt")
    return std::make_unique<WordPieceTokenizer>(file, read_text_options(file.parent_path()));
  return std::make_unique<SentencePieceBert>(file);
}

}  // namespace dietmt::data
