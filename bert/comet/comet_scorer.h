// Scores of translations by a COMET model.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/text/bert_tokenizer.h"
#include "encoders/comet/comet.h"

namespace dietmt::bert {

class CometScorer {
 public:
  using Texts = std::vector<std::string>;

  /// Both must outlive this object. At most `batch_tokens` pieces, or one input, go through the
  /// model together, which changes speed and memory only.
  CometScorer(const encoders::CometModel& model, const data::BertTokenizer& tokenizer,
              int64_t batch_tokens);

  /// A score for each segment of each system. `sources` and `references` have a text for each
  /// segment; texts that the model does not read are ignored. Throws ConfigError if there are no
  /// references, but the model is one that needs them.
  std::vector<std::vector<double>> score(const Texts& sources,
                                         const std::optional<Texts>& references,
                                         const std::vector<Texts>& systems);

  /// Inputs of score() that were too long for the model, so that their ends did not count.
  int64_t cut() const { return cut_; }

 private:
  using Input = std::vector<int32_t>;

  std::vector<Input> encode(const Texts& texts);
  Input joined(std::span<const Input* const> texts);

  /// One vector an input, on the CPU: [inputs, D].
  at::Tensor embed(const std::vector<Input>& inputs) const;
  std::vector<double> estimate(const encoders::CometVectors& vectors) const;

  std::vector<double> score_together(const std::vector<Input>& translations,
                                     const std::vector<Input>& sources,
                                     const std::vector<Input>& references);

  const encoders::CometModel& model_;
  const data::BertTokenizer& tokenizer_;
  int64_t batch_tokens_;
  int64_t cut_ = 0;
};

}  // namespace dietmt::bert
