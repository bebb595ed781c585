#include "nmt/search/suppressed_tokens.h"

#include <algorithm>
#include <utility>

#include "common/error.h"

namespace dietmt::nmt {
namespace {

int32_t last_but_one(const std::vector<int32_t>& sequence) { return sequence[sequence.size() - 2]; }

}  // namespace

PieceIds::PieceIds(const data::Tokenizer& tokenizer) {
  for (int32_t id = 0; id < tokenizer.vocabulary_size(); ++id)
    ids_.emplace(tokenizer.piece(id), id);
}

std::vector<int32_t> PieceIds::of(const std::vector<std::string>& pieces) const {
  std::vector<int32_t> found;
  for (const std::string& piece : pieces) {
    const auto id = ids_.find(piece);
    if (id == ids_.end())
      throw CheckpointError("search: suppressed has the piece '" + piece +
                            "', which the vocabulary lacks");
    found.push_back(id->second);
  }
  return found;
}

SuppressedTokens::SuppressedTokens(const std::vector<std::vector<int32_t>>& sequences,
                                   std::vector<int32_t> first)
    : first_(std::move(first)) {
  for (const std::vector<int32_t>& tokens : sequences) {
    if (tokens.size() == 1) always_.push_back(tokens.front());
    if (tokens.size() > 1) sequences_.push_back(tokens);
  }
  std::ranges::sort(sequences_, {}, last_but_one);
}

void SuppressedTokens::add_ends(std::span<const int32_t> tokens, int64_t tags,
                                std::vector<int32_t>& ends) const {
  ends.insert(ends.end(), always_.begin(), always_.end());
  if (std::ssize(tokens) == tags) ends.insert(ends.end(), first_.begin(), first_.end());
  if (tokens.empty()) return;
  for (const std::vector<int32_t>& sequence :
       std::ranges::equal_range(sequences_, tokens.back(), {}, last_but_one)) {
    const auto before = std::span(sequence).first(sequence.size() - 1);
    if (before.size() <= tokens.size() && std::ranges::equal(before, tokens.last(before.size())))
      ends.push_back(sequence.back());
  }
}

std::shared_ptr<const SuppressedTokens> suppressed_tokens(const SuppressedPieces& pieces,
                                                          const data::Tokenizer& target,
                                                          const std::string& file) {
  if (pieces.empty()) return nullptr;
  try {
    const PieceIds ids(target);
    std::vector<std::vector<int32_t>> sequences;
    for (const std::vector<std::string>& sequence : pieces.sequences)
      sequences.push_back(ids.of(sequence));
    return std::make_shared<const SuppressedTokens>(sequences, ids.of(pieces.first));
  } catch (const CheckpointError& error) {
    if (file.empty()) throw;
    throw CheckpointError(file + ": " + error.what());
  }
}

}  // namespace dietmt::nmt
