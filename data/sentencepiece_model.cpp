#include "data/sentencepiece_model.h"

#include "common/error.h"
#include "common/files.h"

namespace dietmt::data {

SentencePieceModel::SentencePieceModel(const std::filesystem::path& file) {
  try {
    serialized_ = read_file(file);
  } catch (const Error& error) {
    throw DataError(error.what());
  }
  const auto status = processor_.LoadFromSerializedProto(serialized_);
  if (!status.ok() || processor_.GetPieceSize() == 0)
    throw DataError(file.string() + ": not a sentencepiece model");
}

void SentencePieceModel::check(int32_t id) const {
  if (id < 0 || id >= processor_.GetPieceSize())
    throw Error("piece id " + std::to_string(id) + " is outside the vocabulary");
}

std::string SentencePieceModel::decode(const std::vector<int>& ids) const {
  std::string text;
  const auto status = processor_.Decode(ids, &text);
  if (!status.ok()) throw Error(std::string("sentencepiece cannot decode: ") + status.message());
  return text;
}

}  // namespace dietmt::data
