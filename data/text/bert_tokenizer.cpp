#include "data/text/bert_tokenizer.h"

#include <algorithm>

#include "common/error.h"
#include "common/files.h"
#include "data/text/sentencepiece_bert.h"
#include "data/text/wordpiece.h"

namespace dietmt::data {

bool is_special(int32_t id, const SpecialPieces& special) {
  return std::any_of(kSpecialPieces.begin(), kSpecialPieces.end(),
                     [&](const auto& piece) { return special.*piece.second == id; });
}

std::vector<TextPart> split_at_special_pieces(std::string_view text, const SpecialPieces& special) {
  if (text.size() > INT32_MAX) throw Error("a text of 2 GiB or more cannot be tokenized");
  std::vector<TextPart> segments;
  size_t text_begin = 0;
  const auto end_text = [&](size_t end) {
    if (end > text_begin)
      segments.push_back({static_cast<int32_t>(text_begin), static_cast<int32_t>(end), -1});
  };
  for (size_t at = 0; (at = text.find('[', at)) != std::string_view::npos;) {
    const auto* const found =
        std::find_if(kSpecialPieces.begin(), kSpecialPieces.end(),
                     [&](const auto& piece) { return text.substr(at).starts_with(piece.first); });
    if (found == kSpecialPieces.end()) {
      ++at;
      continue;
    }
    end_text(at);
    text_begin = at + found->first.size();
    segments.push_back(
        {static_cast<int32_t>(at), static_cast<int32_t>(text_begin), special.*found->second});
    at = text_begin;
  }
  end_text(text.size());
  return segments;
}

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

EncoderInput encoder_input(std::span<const int32_t> first,
                           std::optional<std::span<const int32_t>> second,
                           const SpecialPieces& special, int64_t max_length) {
  const int64_t room = max_length - (second ? 3 : 2);
  int64_t a = std::ssize(first);
  int64_t b = second ? std::ssize(*second) : 0;
  EncoderInput input;
  input.cut = std::max<int64_t>(0, a + b - room);
  // Shortens the longer text to the length of the other one, then both in turn.
  const int64_t from_longer = std::min(input.cut, std::abs(a - b));
  (a > b ? a : b) -= from_longer;
  const int64_t from_both = input.cut - from_longer;
  b -= (from_both + 1) / 2;
  a -= from_both / 2;

  const auto append = [&](std::span<const int32_t> pieces) {
    input.ids.insert(input.ids.end(), pieces.begin(), pieces.end());
    input.ids.push_back(special.separate);
  };
  input.ids.push_back(special.classify);
  append(first.first(static_cast<size_t>(a)));
  input.second_begin = std::ssize(input.ids);
  if (second) append(second->first(static_cast<size_t>(b)));
  return input;
}

}  // namespace dietmt::data
