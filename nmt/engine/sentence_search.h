// The search for the translations of one sentence, step by step: it lists the hypotheses that wait
// for a token, reads the scores of each, and advances.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "nmt/engine/token_draw.h"
#include "nmt/search/search_options.h"
#include "nmt/search/search_task.h"

namespace dietmt::nmt {

/// The scores of the next token of a hypothesis: logits of one model, or summed probabilities of
/// several. Only the scores that are asked for are turned into log-probabilities.
struct TokenScores {
  const float* values = nullptr;  // [vocabulary]
  int64_t vocabulary = 0;
  float normalizer = 0.0F;  // subtracted from a logit, or from the logarithm of a sum
  bool probabilities = false;
  std::span<const int32_t> best;  // as many as the search wants, best first, then -1

  float log_prob(int64_t token) const {
    return (probabilities ? std::log(values[token]) : values[token]) - normalizer;
  }
  /// A token with at most this value has at most `log_prob`.
  float value_below(double log_prob) const;
};

class SentenceSearch {
 public:
  virtual ~SentenceSearch() = default;

  /// The number of hypotheses that wait for a token; at the first step one, or one for each group
  /// of diverse beam search.
  virtual int64_t rows() const = 0;
  /// The last token of a hypothesis, and the hypothesis of the previous step that it continues.
  virtual int32_t token(int64_t row) const = 0;
  virtual int32_t parent(int64_t row) const = 0;

  /// How many of the best tokens it wants for each row, and the tokens that must not be among those
  /// of a row: the same for all rows, unless forbids_by_row().
  virtual int64_t best_wanted() const = 0;
  virtual std::span<const int32_t> forbidden(int64_t row) const = 0;
  virtual bool forbids_by_row() const = 0;

  /// Tokens of a row whose scores read() needs as well. Beam search asks for no others; sampling
  /// needs them all.
  virtual std::vector<int32_t> asked(int64_t /*row*/) const { return {}; }

  /// Called once for each row, in order.
  virtual void read(int64_t row, const TokenScores& scores) = 0;

  /// Takes the next step. Returns false if the sentence is finished.
  virtual bool advance() = 0;

  /// The translations of a finished sentence.
  virtual NBest result() = 0;
};

/// Beam search or, by the options, sampling
/// (nmt/tensor_decoding/host_searches.h, sampling.h). Keeps references to all arguments; the
/// searches of one thread can share `draw`.
std::unique_ptr<SentenceSearch> make_search(const SearchTask& task, const SpecialTokens& special,
                                            const SearchOptions& options, TokenDraw& draw);

}  // namespace dietmt::nmt
