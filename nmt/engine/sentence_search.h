// The search for the translations of one sentence, step by step: it says which hypotheses wait for
// a token, reads the scores of each, and moves on.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <span>

#include "nmt/engine/token_draw.h"
#include "nmt/search/search_options.h"
#include "nmt/search/search_task.h"

namespace dietmt::nmt {

/// The scores of a hypothesis' next token: logits of one model, or the summed probabilities of
/// several. What is asked for becomes a log-probability, and nothing else does.
struct TokenScores {
  const float* values = nullptr;  // [vocabulary]
  int64_t vocabulary = 0;
  float normalizer = 0.0F;  // subtracted from a logit, or from the logarithm of a sum
  bool probabilities = false;
  std::span<const int32_t> best;  // as many as the search wants, best first, -1 behind the last

  float log_prob(int64_t token) const {
    return (probabilities ? std::log(values[token]) : values[token]) - normalizer;
  }
  /// No token with a value of at most this has more than `log_prob`.
  float value_below(double log_prob) const;
};

class SentenceSearch {
 public:
  virtual ~SentenceSearch() = default;

  /// Hypotheses that wait for their next token; one at the first step.
  virtual int64_t rows() const = 0;
  /// The last token of a hypothesis, and which one of the step before it continues.
  virtual int32_t token(int64_t row) const = 0;
  virtual int32_t parent(int64_t row) const = 0;

  /// How many of the best tokens it wants to be told for each row, and which of them never.
  virtual int64_t best_wanted() const = 0;
  virtual std::span<const int32_t> forbidden() const = 0;

  /// The scores of each row once, in order.
  virtual void read(int64_t row, const TokenScores& scores) = 0;

  /// Takes the next step. False if the sentence is finished.
  virtual bool advance() = 0;

  /// The translations, when it is.
  virtual NBest result() = 0;
};

/// Beam search (nmt/batch_decoding/beam_search.h), or sampling (nmt/batch_decoding/sampling.h)
/// where the options say so. All are kept by reference; `draw` may be shared by searches of one
/// thread.
std::unique_ptr<SentenceSearch> make_search(const SearchTask& task, const SpecialTokens& special,
                                            const SearchOptions& options, TokenDraw& draw);

}  // namespace dietmt::nmt
