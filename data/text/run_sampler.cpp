#include "data/text/run_sampler.h"

#include "common/error.h"

namespace dietmt::data {
namespace {

std::string kind_of(SubwordModel model) {
  if (model == SubwordModel::kUnigram) return "a unigram model: use --subword-sampling";
  if (model == SubwordModel::kBpe) return "a BPE model: use --bpe-dropout";
  return "neither a unigram nor a BPE model";
}

}  // namespace

Spelling::Spelling(const Tokenizer& tokenizer, const ModelPieces& model)
    : texts_(static_cast<size_t>(tokenizer.vocabulary_size())) {
  std::unordered_map<std::string_view, int32_t> ids;
  for (int32_t id = 0; id < tokenizer.vocabulary_size(); ++id) {
    texts_[static_cast<size_t>(id)] = tokenizer.piece(id);
    ids.emplace(texts_[static_cast<size_t>(id)], id);
  }
  std::vector<bool> spells(texts_.size());
  for (const ModelPiece& piece : model.pieces) {
    const auto found = ids.find(piece.text);
    if (!piece.normal || piece.text.empty() || found == ids.end()) continue;
    spells[static_cast<size_t>(found->second)] = true;
    pieces_.emplace(found->first, Piece{found->second, piece.score});
  }
  for (size_t id = 0; id < texts_.size(); ++id)
    if (!spells[id]) texts_[id].clear();
}

std::vector<int32_t> RunSampler::sample(std::span<const int32_t> ids, uint64_t key) const {
  Random random(key);
  std::vector<int32_t> sampled;
  std::string run;
  for (size_t begin = 0; begin < ids.size();) {
    size_t end = begin;
    run.clear();
    while (end < ids.size() && !spelling_.text(ids[end]).empty()) run += spelling_.text(ids[end++]);
    if (end == begin) {
      sampled.push_back(ids[end++]);
    } else if (const size_t before = sampled.size(); !segment(run, random, sampled)) {
      sampled.resize(before);
      sampled.insert(sampled.end(), ids.begin() + static_cast<std::ptrdiff_t>(begin),
                     ids.begin() + static_cast<std::ptrdiff_t>(end));
    }
    begin = end;
  }
  return sampled;
}

ModelPieces require_model(const Tokenizer& tokenizer, SubwordModel wanted,
                          const std::string& option) {
  if (tokenizer.sentencepiece().empty())
    throw ConfigError(option + " needs a sentencepiece model; " + tokenizer.file() +
                      " is a list of pieces");
  ModelPieces model = model_pieces(tokenizer.sentencepiece());
  if (model.model != wanted) {
    throw ConfigError(option + " cannot sample from " + tokenizer.file() + ", which is " +
                      kind_of(model.model));
  }
  return model;
}

}  // namespace dietmt::data
