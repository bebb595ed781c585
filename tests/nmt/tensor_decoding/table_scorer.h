// A scorer with known distributions: each is a function of the sentence and the tokens so far.
#pragma once

#include <ATen/ATen.h>

#include <functional>
#include <vector>

#include "common/random.h"
#include "nmt/tensor_decoding/step_scorer.h"

namespace dietmt::nmt {

/// Log-probabilities [V] of the token after `history`, which starts with begin of sentence.
using Distribution =
    std::function<std::vector<double>(int64_t sentence, const std::vector<int64_t>& history)>;

class TableScorer : public StepScorer {
 public:
  TableScorer(Distribution distribution, std::vector<int64_t> sentences, int64_t beams)
      : distribution_(std::move(distribution)), beams_(beams) {
    for (const int64_t sentence : sentences) {
      for (int64_t k = 0; k < beams; ++k) rows_.push_back({sentence, {}});
    }
  }

  at::Tensor step(const at::Tensor& tokens) override {
    ++steps;
    std::vector<at::Tensor> rows;
    for (size_t r = 0; r < rows_.size(); ++r) {
      rows_[r].history.push_back(tokens[static_cast<int64_t>(r)].item<int64_t>());
      rows.push_back(at::tensor(distribution_(rows_[r].sentence, rows_[r].history), at::kDouble));
    }
    return at::stack(rows).to(at::kFloat);
  }

  void reorder(const at::Tensor& sentence_index, const at::Tensor& row_index) override {
    std::vector<Row> kept;
    for (int64_t i = 0; i < row_index.size(0); ++i) {
      const auto row = row_index[i].item<int64_t>();
      // Rows stay with their sentence.
      EXPECT_EQ(row / beams_, sentence_index[i / beams_].item<int64_t>());
      kept.push_back(rows_[static_cast<size_t>(row)]);
    }
    rows_ = std::move(kept);
  }

  int64_t steps = 0;

 private:
  struct Row {
    int64_t sentence;
    std::vector<int64_t> history;
  };
  Distribution distribution_;
  int64_t beams_;
  std::vector<Row> rows_;
};

/// Random logits that depend on `seed`, the sentence and the history.
inline Distribution random_distribution(uint64_t seed, int64_t vocabulary) {
  return [=](int64_t sentence, const std::vector<int64_t>& history) {
    uint64_t key = random_key(seed, static_cast<uint64_t>(sentence));
    for (const int64_t token : history) key = random_key(key, static_cast<uint64_t>(token));
    Random random(key);
    at::Tensor logits = at::empty({vocabulary}, at::kDouble);
    for (int64_t v = 0; v < vocabulary; ++v) logits[v] = 4.0 * random.uniform();
    const at::Tensor log_probs = logits.log_softmax(-1);
    return std::vector<double>(log_probs.data_ptr<double>(),
                               log_probs.data_ptr<double>() + vocabulary);
  };
}

}  // namespace dietmt::nmt
