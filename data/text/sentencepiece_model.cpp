#include "data/text/sentencepiece_model.h"

#include "common/error.h"
#include "common/files.h"
#include "common/utf8.h"
#include "data/text/tokenizer.h"

namespace dietmt::data {

namespace {

template <typename Pieces>
std::string decode_with(const sentencepiece::SentencePieceProcessor& processor,
                        const Pieces& pieces) {
  std::string text;
  const auto status = processor.Decode(pieces, &text);
  if (!status.ok()) throw Error(std::string("sentencepiece cannot decode: ") + status.message());
  return text;
}

}  // namespace

std::string read_model_file(const std::filesystem::path& file) {
  try {
    return read_file(file);
  } catch (const Error& error) {
    throw DataError(error.what());
  }
}

std::string_view first_part(std::string_view line, size_t most) {
  if (line.size() <= most) return line;
  size_t end = line.rfind(' ', most);
  if (end == std::string_view::npos || end == 0) {
    end = most;
    while (continues_character(line[end])) --end;
  }
  return line.substr(0, end);
}

SentencePieceModel::SentencePieceModel(const std::filesystem::path& file)
    : SentencePieceModel(read_model_file(file), file.string()) {}

SentencePieceModel::SentencePieceModel(std::string bytes, const std::string& where)
    : serialized_(std::move(bytes)) {
  const auto status = processor_.LoadFromSerializedProto(serialized_);
  if (!status.ok() || processor_.GetPieceSize() == 0)
    throw DataError(where + ": not a sentencepiece model");
}

void SentencePieceModel::check(int32_t id) const {
  if (id < 0 || id >= processor_.GetPieceSize())
    throw Error("piece id " + std::to_string(id) + " is outside the vocabulary");
}

sentencepiece::ImmutableSentencePieceText SentencePieceModel::encode(std::string_view text) const {
  sentencepiece::ImmutableSentencePieceText encoded;
  const auto status = processor_.Encode({text.data(), text.size()}, encoded.mutable_proto());
  if (!status.ok()) throw Error(std::string("sentencepiece cannot encode: ") + status.message());
  return encoded;
}

sentencepiece::ImmutableSentencePieceText SentencePieceModel::decode_with_spans(
    const std::vector<std::string>& pieces) const {
  sentencepiece::ImmutableSentencePieceText decoded;
  const auto status = processor_.Decode(pieces, decoded.mutable_proto());
  if (!status.ok()) throw Error(std::string("sentencepiece cannot decode: ") + status.message());
  return decoded;
}

std::string SentencePieceModel::decode(const std::vector<int>& ids) const {
  return decode_with(processor_, ids);
}

std::string SentencePieceModel::decode(const std::vector<std::string>& pieces) const {
  return decode_with(processor_, pieces);
}

}  // namespace dietmt::data
