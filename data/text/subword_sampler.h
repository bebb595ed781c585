// Segmentations of a text drawn at random, so that a model sees many spellings of a word: subword
// regularization (Kudo 2018) for unigram models, BPE-dropout (Provilkov et al. 2020) for BPE.
//
// sentencepiece's own sampling draws from one generator per thread, which cannot be reset when
// a run resumes. Here a draw is a function of a key.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "data/text/tokenizer.h"

namespace dietmt::data {

/// Immutable; safe to share between threads.
class SubwordSampler {
 public:
  virtual ~SubwordSampler() = default;

  /// Another segmentation of the text of `ids`, the same for the same key. The pieces between
  /// special ones, tags, bytes and unknown characters, which stay as they are, spell the same
  /// normalised text as before.
  virtual std::vector<int32_t> sample(std::span<const int32_t> ids, uint64_t key) const = 0;
};

/// Draws each segmentation with a probability in proportion to the product of its pieces'
/// probabilities to the power `alpha` > 0: near 0 all are as likely, with large values the usual
/// one is (forward filtering, backward sampling). Throws ConfigError, naming --subword-sampling and
/// the tokenizer, if it is no unigram model.
std::shared_ptr<const SubwordSampler> unigram_sampler(const Tokenizer& tokenizer, double alpha);

/// Before each merge in a word, every possible merge is left out with the probability 0 <= `p` < 1
/// and the best of the others is made; without others the word is done. Throws ConfigError, naming
/// --bpe-dropout and the tokenizer, if it is no BPE model.
std::shared_ptr<const SubwordSampler> bpe_dropout(const Tokenizer& tokenizer, double p);

}  // namespace dietmt::data
