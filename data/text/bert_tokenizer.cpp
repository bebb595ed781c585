#include "data/text/bert_tokenizer.h"

#include <algorithm>

#include "common/error.h"
#include "common/files.h"
#include "data/text/sentencepiece_bert.h"
#include "data/text/wordpiece.h"

namespace dietmt::data {
namespace {

std::filesystem::path required_file(const std::filesystem::path& directory) {
  if (const auto file = bert_tokenizer_file(directory)) return *file;
  const bool has_bytes = std::filesystem::exists(directory / "merges.txt");
  throw DataError(directory.string() + ": holds neither vocab.txt nor " + kSentencePieceFile +
                  " nor " + kFairseqModelFile +
                  (has_bytes ? "; dietmt does not read byte-level BPE (merges.txt)" : ""));
}

}  // namespace

std::optional<std::filesystem::path> bert_tokenizer_file(const std::filesystem::path& directory) {
  for (const char* name : {"vocab.txt", kSentencePieceFile, kFairseqModelFile})
    if (std::filesystem::exists(directory / name)) return directory / name;
  return {};
}

bool is_special(int32_t id, const SpecialPieces& special) {
  return std::any_of(kSpecialPieces.begin(), kSpecialPieces.end(),
                     [&](const auto& piece) { return special.*piece.second == id; });
}

std::vector<TextPart> split_at_special_pieces(std::string_view text, const SpecialPieces& special,
                                              const SpecialNames& names) {
  if (text.size() > INT32_MAX) throw Error("a text of 2 GiB or more cannot be tokenized");
  std::vector<TextPart> segments;
  size_t text_begin = 0;
  const auto end_text = [&](size_t end) {
    if (end > text_begin)
      segments.push_back({static_cast<int32_t>(text_begin), static_cast<int32_t>(end), -1});
  };
  for (size_t at = 0; (at = text.find(names[0].first[0], at)) != std::string_view::npos;) {
    const auto* const found = std::find_if(names.begin(), names.end(), [&](const auto& piece) {
      return text.substr(at).starts_with(piece.first);
    });
    if (found == names.end()) {
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
  const std::filesystem::path file =
      std::filesystem::is_directory(path) ? required_file(path) : path;
  require_intact(file);
  if (file.extension() == ".txt")
    return std::make_unique<WordPieceTokenizer>(file, read_text_options(file.parent_path()));
  const bool is_fairseq = file.filename() == kFairseqModelFile;
  return std::make_unique<SentencePieceBert>(
      file, is_fairseq ? PieceNumbering::kFairseq : PieceNumbering::kOwn);
}

EncoderInput encoder_input(std::span<const int32_t> first,
                           std::optional<std::span<const int32_t>> second,
                           const SpecialPieces& special, int64_t max_length) {
  const int64_t room = std::max<int64_t>(0, max_length - (second ? 2 + special.separators : 2));
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
  if (second)
    input.ids.insert(input.ids.end(), static_cast<size_t>(special.separators) - 1,
                     special.separate);
  input.second_begin = std::ssize(input.ids);
  if (second) append(second->first(static_cast<size_t>(b)));
  return input;
}

}  // namespace dietmt::data
