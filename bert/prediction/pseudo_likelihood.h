// How likely a masked language model finds texts: the pseudo-log-likelihood (Salazar et al. 2020),
//
//   sum over pieces i of log p(piece i | all other pieces)
//
// Each piece needs a separate pass, in which it is masked.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/text/bert_tokenizer.h"
#include "encoders/bert/bert.h"

namespace dietmt::bert {

class PseudoLikelihood {
 public:
  /// At most `batch_tokens` pieces, or one text with one masked piece, go through the model
  /// together. Throws Error if the model has no head for masked tokens, and ConfigError if the
  /// tokenizer has pieces that the model has not.
  PseudoLikelihood(std::shared_ptr<const encoders::Bert> model,
                   std::unique_ptr<const data::BertTokenizer> tokenizer, int64_t batch_tokens);

  /// The mean over the pieces of each text. A text that is too long for the model loses its end; a
  /// text without pieces has the value of pieces that are all equally likely.
  std::vector<double> mean_log_probs(std::span<const std::string> texts) const;

 private:
  struct MaskedBatch;
  void score(const MaskedBatch& batch, std::vector<double>& sums) const;

  std::shared_ptr<const encoders::Bert> model_;
  std::unique_ptr<const data::BertTokenizer> tokenizer_;
  int64_t batch_tokens_;
};

}  // namespace dietmt::bert
