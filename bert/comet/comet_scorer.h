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
#include "metrics/document_context.h"
#include "metrics/minimum_bayes_risk.h"

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
  ///
  /// With `context`, an input begins with the sentences before its own, as far as there is room,
  /// but only its own tokens count in its vector (Vernikos et al. 2022). The context of a
  /// translation is that of its reference, or the translation's own without references. Throws
  /// ConfigError for models that read all texts in one input.
  std::vector<std::vector<double>> score(const Texts& sources,
                                         const std::optional<Texts>& references,
                                         const std::vector<Texts>& systems,
                                         const metrics::DocumentContext& context = {});

  /// The expected score of each candidate with all candidates of its sentence as references
  /// (minimum Bayes risk); its score if the model reads no reference. An input that occurs again,
  /// as source, candidate or reference, goes through the encoder once.
  std::vector<std::vector<double>> expected(std::span<const metrics::WeightedCandidates> sentences);

  /// Inputs that were too long for the model, so that their ends did not count.
  int64_t cut() const { return cut_; }

 private:
  struct Input {
    std::vector<int32_t> ids;
    int64_t begin = 1;  // of the sentence, after <s> and its context

    int64_t size() const { return std::ssize(ids); }
    auto operator<=>(const Input&) const = default;
  };

  // Texts before a text, as indices of a list.
  struct Context {
    size_t begin = 0, end = 0;
  };

  // Its texts, as indices of a list; kNone: the model does not read such a text.
  struct Segment {
    int64_t translation = kNone, source = kNone, reference = kNone;
  };
  static constexpr int64_t kNone = -1;

  bool is_unified() const { return model_.config().kind == "unified"; }

  // `contexts`: one for each text, or none.
  std::vector<double> score_segments(const Texts& texts, std::span<const Segment> segments,
                                     std::span<const Context> contexts = {});
  std::vector<double> score_together(const std::vector<Input>& texts,
                                     std::span<const Segment> segments);
  void add_expected(std::span<const metrics::WeightedCandidates> sentences,
                    std::vector<std::vector<double>>& all);

  std::vector<Input> encode(const Texts& texts, std::span<const Context> contexts);
  Input joined(std::span<const Input* const> texts);

  /// One vector an input, on the CPU: [inputs, D].
  at::Tensor embed(const std::vector<Input>& inputs) const;
  /// vectors: one for each text. [texts, D]
  std::vector<double> estimate(const at::Tensor& vectors, std::span<const Segment> segments) const;

  const encoders::CometModel& model_;
  const data::BertTokenizer& tokenizer_;
  int64_t batch_tokens_;
  int64_t cut_ = 0;
};

}  // namespace dietmt::bert
