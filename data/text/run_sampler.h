// What the samplers of subword_sampler.h share: the text that pieces spell, and its runs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/random.h"
#include "data/text/model_pieces.h"
#include "data/text/subword_sampler.h"

namespace dietmt::data {

/// The pieces of a tokenizer that text is spelled with.
class Spelling {
 public:
  struct Piece {
    int32_t id = 0;
    double score = 0;
  };

  Spelling(const Tokenizer& tokenizer, const ModelPieces& model);
  Spelling(const Spelling&) = delete;
  Spelling& operator=(const Spelling&) = delete;

  /// Empty for special pieces and others without text.
  const std::string& text(int32_t id) const { return texts_[static_cast<size_t>(id)]; }

  const Piece* find(std::string_view text) const {
    const auto found = pieces_.find(text);
    return found == pieces_.end() ? nullptr : &found->second;
  }

  const std::unordered_map<std::string_view, Piece>& pieces() const { return pieces_; }

 private:
  std::vector<std::string> texts_;                      // by id
  std::unordered_map<std::string_view, Piece> pieces_;  // by their text in texts_
};

/// Cuts sentences into runs of text and segments each of them.
class RunSampler : public SubwordSampler {
 public:
  RunSampler(const Tokenizer& tokenizer, const ModelPieces& model) : spelling_(tokenizer, model) {}

  std::vector<int32_t> sample(std::span<const int32_t> ids, uint64_t key) const override;

 protected:
  const Spelling& spelling() const { return spelling_; }

 private:
  /// Appends pieces that spell `run`; false if there are none for some of its characters.
  virtual bool segment(std::string_view run, Random& random, std::vector<int32_t>& ids) const = 0;

  Spelling spelling_;
};

/// The pieces of a tokenizer that `option` samples from. Throws ConfigError, naming both, if it is
/// no model of the kind `wanted`.
ModelPieces require_model(const Tokenizer& tokenizer, SubwordModel wanted,
                          const std::string& option);

}  // namespace dietmt::data
