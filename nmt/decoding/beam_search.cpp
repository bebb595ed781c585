#include "nmt/decoding/beam_search.h"

#include <torch/torch.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "nmt/decoding/candidates.h"

namespace dietmt::nmt {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

// The hypotheses of one sentence.
class Beam {
 public:
  Beam(const SearchTask& task, const SpecialTokens& special, const SearchOptions& options)
      : task_(task), special_(special), options_(options) {
    // All rows start alike: only the first counts.
    sums_.assign(static_cast<size_t>(options.beam), kMinusInfinity);
    sums_.front() = 0.0;
  }

  const SearchTask& task() const { return task_; }
  const std::vector<double>& sums() const { return sums_; }

  // Takes the best candidates of a step, best first. False if the sentence is finished.
  bool advance(const std::vector<Candidate>& candidates) {
    const auto size = static_cast<size_t>(options_.beam);
    std::vector<Node> nodes;
    std::vector<double> sums;
    for (size_t rank = 0; rank < candidates.size() && nodes.size() < size; ++rank) {
      const Candidate& candidate = candidates[rank];
      if (candidate.token != special_.end) {
        nodes.push_back({candidate.token, candidate.beam, candidate.log_prob});
        sums.push_back(candidate.sum);
      } else if (rank < size) {
        done_.push_back(hypothesis(candidate));
      }
    }
    if (nodes.empty() || done_.size() >= size || cannot_improve(sums.front())) return false;
    nodes.resize(size, {special_.end, 0, 0.0F});  // rows without a hypothesis
    sums.resize(size, kMinusInfinity);
    steps_.push_back(std::move(nodes));
    sums_ = std::move(sums);
    return true;
  }

  // Hypothesis k of the last step: its last token, and the row of the step before that it
  // continues.
  int64_t token(size_t k) const { return steps_.back()[k].token; }
  int64_t parent(size_t k) const { return steps_.back()[k].parent; }

  NBest result() && {
    const auto wanted = std::min(done_.size(), static_cast<size_t>(options_.nbest));
    std::stable_sort(done_.begin(), done_.end(),
                     [](const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; });
    done_.resize(wanted);
    return std::move(done_);
  }

 private:
  struct Node {
    int32_t token;
    int32_t parent;  // hypothesis of the step before
    float log_prob;
  };

  Hypothesis hypothesis(const Candidate& last) const {
    Hypothesis found;
    found.token_scores.push_back(last.log_prob);
    int32_t k = last.beam;
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
      const Node& node = (*step)[static_cast<size_t>(k)];
      found.ids.push_back(node.token);
      found.token_scores.push_back(node.log_prob);
      k = node.parent;
    }
    std::reverse(found.ids.begin(), found.ids.end());
    std::reverse(found.token_scores.begin(), found.token_scores.end());
    found.sum = last.sum;
    found.score = options_.normalized(found.sum, static_cast<int64_t>(found.token_scores.size()));
    return found;
  }

  // True if no open hypothesis, the best of which has `best_sum`, can enter the n best.
  bool cannot_improve(double best_sum) {
    const auto wanted = static_cast<size_t>(options_.nbest);
    if (done_.size() < wanted) return false;
    const auto last = done_.begin() + static_cast<std::ptrdiff_t>(wanted) - 1;
    std::nth_element(done_.begin(), last, done_.end(),
                     [](const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; });
    return options_.normalized(best_sum, task_.max_length) <= last->score;
  }

  const SearchTask& task_;
  const SpecialTokens& special_;
  const SearchOptions& options_;
  std::vector<std::vector<Node>> steps_;  // of the open hypotheses
  std::vector<double> sums_;
  NBest done_;
};

// The beams still open, in the order of their rows in the scorer.
class OpenBeams {
 public:
  OpenBeams(std::span<const SearchTask> tasks, const SpecialTokens& special,
            const SearchOptions& options)
      : special_(special), options_(options), results_(tasks.size()) {
    for (size_t i = 0; i < tasks.size(); ++i) {
      beams_.emplace_back(tasks[i], special, options);
      open_.push_back(i);
    }
  }

  bool empty() const { return open_.empty(); }

  at::Tensor first_tokens() const { return at::full({rows()}, special_.begin, at::kLong); }

  // One step: log-probabilities in, the next tokens out; finished sentences leave `scorer`.
  at::Tensor advance(at::Tensor log_probs, int64_t step, StepScorer& scorer) {
    std::vector<const SearchTask*> tasks;
    std::vector<double> sums;
    for (const size_t i : open_) {
      tasks.push_back(&beams_[i].task());
      sums.insert(sums.end(), beams_[i].sums().begin(), beams_[i].sums().end());
    }
    constrain(log_probs, tasks, step, special_);
    const auto candidates =
        best_candidates(log_probs, sums, static_cast<int64_t>(open_.size()), 2 * options_.beam);

    std::vector<int64_t> sentence_index, row_index, tokens;
    std::vector<size_t> still_open;
    for (size_t b = 0; b < open_.size(); ++b) {
      Beam& beam = beams_[open_[b]];
      if (!beam.advance(candidates[b])) {
        results_[open_[b]] = std::move(beam).result();
        continue;
      }
      still_open.push_back(open_[b]);
      sentence_index.push_back(static_cast<int64_t>(b));
      for (size_t k = 0; k < static_cast<size_t>(options_.beam); ++k) {
        row_index.push_back(static_cast<int64_t>(b) * options_.beam + beam.parent(k));
        tokens.push_back(beam.token(k));
      }
    }
    open_ = std::move(still_open);
    if (!open_.empty() && moved(row_index, static_cast<int64_t>(sums.size())))
      scorer.reorder(at::tensor(sentence_index, at::kLong), at::tensor(row_index, at::kLong));
    return at::tensor(tokens, at::kLong);
  }

  std::vector<NBest> results() && { return std::move(results_); }

 private:
  int64_t rows() const { return static_cast<int64_t>(open_.size()) * options_.beam; }

  static bool moved(const std::vector<int64_t>& row_index, int64_t old_rows) {
    if (static_cast<int64_t>(row_index.size()) != old_rows) return true;
    for (size_t i = 0; i < row_index.size(); ++i) {
      if (row_index[i] != static_cast<int64_t>(i)) return true;
    }
    return false;
  }

  const SpecialTokens& special_;
  const SearchOptions& options_;
  std::vector<Beam> beams_;
  std::vector<size_t> open_;  // indices into beams_
  std::vector<NBest> results_;
};

}  // namespace

std::vector<NBest> beam_search(StepScorer& scorer, std::span<const SearchTask> tasks,
                               const SpecialTokens& special, const SearchOptions& options) {
  OpenBeams beams(tasks, special, options);
  at::Tensor tokens = beams.first_tokens();  // [B * K]
  for (int64_t step = 0; !beams.empty(); ++step)
    tokens = beams.advance(scorer.step(tokens), step, scorer);
  return std::move(beams).results();
}

}  // namespace dietmt::nmt
