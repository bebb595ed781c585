#include "data/text/sentencepiece_parts.h"

#include <utility>

#include "common/error.h"
#include "data/text/subwords.h"

namespace dietmt::data {
namespace {

constexpr const char* kNeeded = "only a sentencepiece vocabulary (unigram or BPE) can be changed";

std::string kind_of(const std::string& serialized) {
  if (serialized.starts_with(kMergesMagic)) return "BPE codes";
  return "a list of pieces";
}

int32_t found_in(const std::unordered_map<std::string_view, int32_t>& ids, std::string_view piece) {
  const auto found = ids.find(piece);
  return found == ids.end() ? -1 : found->second;
}

}  // namespace

SentencepieceParts::SentencepieceParts(const Tokenizer& tokenizer)
    : file_(tokenizer.file()), model_(tokenizer.sentencepiece()) {
  if (model_.empty())
    throw DataError(file_ + ": has " + kind_of(tokenizer.serialized()) + "; " + kNeeded);
  pieces_ = model_pieces(model_);
  if (pieces_.model == SubwordModel::kOther)
    throw DataError(file_ + ": is a model of words or characters; " + kNeeded);
  if (tokenizer.serialized() != model_) vocabulary_ = stored_vocabulary(tokenizer.serialized());
  for (size_t id = 0; id < pieces_.pieces.size(); ++id)
    model_ids_.emplace(pieces_.pieces[id].text, static_cast<int32_t>(id));
  if (!vocabulary_) {
    ids_ = model_ids_;
    return;
  }
  for (size_t id = 0; id < vocabulary_->pieces.size(); ++id)
    ids_.emplace(vocabulary_->pieces[id], static_cast<int32_t>(id));
}

int32_t SentencepieceParts::model_id(std::string_view piece) const {
  return found_in(model_ids_, piece);
}

int32_t SentencepieceParts::id(std::string_view piece) const { return found_in(ids_, piece); }

bool SentencepieceParts::is_text(std::string_view piece) const {
  const int32_t found = model_id(piece);
  return found >= 0 && pieces_.pieces[static_cast<size_t>(found)].normal;
}

std::shared_ptr<const Tokenizer> SentencepieceParts::changed(
    const std::string& model, std::optional<PieceVocabulary> vocabulary) const {
  auto subwords =
      vocabulary ? numbered_subwords(model, *vocabulary, file_) : own_subwords(model, file_);
  return std::make_shared<const Tokenizer>(file_, std::move(subwords));
}

}  // namespace dietmt::data
