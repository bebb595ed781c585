#include "data/text/tokenizer.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "common/text_io.h"
#include "data/text/plain_signs.h"
#include "data/text/sentencepiece_model.h"
#include "data/text/subwords.h"
#include "data/text/text_column.h"

namespace dietmt::data {
namespace {

bool may_be_plainer(std::string_view text, const std::vector<int32_t>& ids, int32_t unknown) {
  return std::ranges::find(ids, unknown) != ids.end() && PlainSigns::are_possible_in(text);
}

}  // namespace

Tokenizer::Tokenizer(const std::filesystem::path& model_file)
    : file_(model_file), subwords_(load_subwords(model_file)) {}

Tokenizer::Tokenizer(const std::filesystem::path& model_file, const PieceVocabulary& vocabulary)
    : file_(model_file),
      subwords_(numbered_subwords(read_model_file(model_file), vocabulary, model_file)) {}

Tokenizer::Tokenizer(std::string file, std::unique_ptr<const Subwords> subwords)
    : file_(std::move(file)), subwords_(std::move(subwords)) {}

Tokenizer::~Tokenizer() = default;

std::vector<int32_t> Tokenizer::encode(std::string_view line, int64_t most) const {
  if (invalid_utf8_at(line) != std::string_view::npos)
    return encode(replace_invalid_utf8(line), most);
  if (line.size() <= subwords_->longest_part()) return encode_part(line);
  std::vector<int32_t> ids;
  while (!line.empty() && std::ssize(ids) <= most) {
    const std::string_view part = first_part(line, subwords_->longest_part());
    const std::vector<int32_t> added = encode_part(part);
    ids.insert(ids.end(), added.begin(), added.end());
    line.remove_prefix(part.size());
  }
  return ids;
}

std::string Tokenizer::decode(std::span<const int32_t> ids) const { return subwords_->decode(ids); }

SpannedPieces Tokenizer::encode_with_spans(std::string_view line, int64_t most) const {
  if (line.size() <= subwords_->longest_part()) return encode_part_with_spans(line);
  SpannedPieces pieces;
  int32_t begin = 0;
  while (!line.empty() && std::ssize(pieces.ids) <= most) {
    const std::string_view part = first_part(line, subwords_->longest_part());
    const SpannedPieces added = encode_part_with_spans(part);
    pieces.ids.insert(pieces.ids.end(), added.ids.begin(), added.ids.end());
    for (const TextSpan& span : added.spans)
      pieces.spans.push_back({span.begin + begin, span.end + begin});
    begin += static_cast<int32_t>(part.size());
    line.remove_prefix(part.size());
  }
  return pieces;
}

std::vector<int32_t> Tokenizer::encode_part(std::string_view part) const {
  std::vector<int32_t> ids = subwords_->encode(part);
  if (!may_be_plainer(part, ids, unknown_id())) return ids;
  return encode_part_with_spans(part).ids;
}

SpannedPieces Tokenizer::encode_part_with_spans(std::string_view part) const {
  SpannedPieces pieces = subwords_->encode_with_spans(part);
  if (!may_be_plainer(part, pieces.ids, unknown_id())) return pieces;
  const PlainSigns plain(part, pieces, unknown_id());
  if (!plain.any()) return pieces;
  pieces = subwords_->encode_with_spans(plain.text());
  for (TextSpan& span : pieces.spans) span = plain.original(span);
  return pieces;
}

SpannedText Tokenizer::decode_with_spans(std::span<const int32_t> ids) const {
  return subwords_->decode_with_spans(ids);
}

int64_t Tokenizer::vocabulary_size() const { return subwords_->size(); }
int32_t Tokenizer::unknown_id() const { return subwords_->unknown(); }
int32_t Tokenizer::begin_id() const { return subwords_->begin(); }
int32_t Tokenizer::end_id() const { return subwords_->end(); }
std::vector<int32_t> Tokenizer::source_ending() const { return subwords_->source_ending(); }
int32_t Tokenizer::separator_id() const { return subwords_->separator(); }
std::string Tokenizer::piece(int32_t id) const { return subwords_->piece(id); }
bool Tokenizer::is_tag(int32_t id) const { return subwords_->is_tag(id); }
const std::string& Tokenizer::serialized() const { return subwords_->serialized(); }
const std::string& Tokenizer::sentencepiece() const { return subwords_->sentencepiece(); }

std::shared_ptr<const Tokenizer> open_tokenizer(const std::filesystem::path& file) {
  return std::make_shared<const Tokenizer>(file.string(), load_subwords_or_list(file));
}

std::shared_ptr<const Tokenizer> with_separator(std::shared_ptr<const Tokenizer> tokenizer) {
  if (tokenizer->separator_id() >= 0) return tokenizer;
  return std::shared_ptr<const Tokenizer>(
      new Tokenizer(tokenizer->file(), tokenizer->subwords_->with_separator(tokenizer->file())));
}

std::function<std::string(std::string_view)> piece_splitter(const std::filesystem::path& file) {
  const auto model = std::make_shared<const SentencePieceModel>(file);
  return [model](std::string_view text) {
    std::string separated;
    while (!text.empty()) {
      const std::string_view part = first_part(text, Tokenizer::kLongestPart);
      const sentencepiece::ImmutableSentencePieceText encoded = model->encode(part);
      for (const auto& piece : encoded.pieces())
        separated += (separated.empty() ? "" : " ") + piece.piece();
      text.remove_prefix(part.size());
    }
    return separated;
  };
}

}  // namespace dietmt::data
