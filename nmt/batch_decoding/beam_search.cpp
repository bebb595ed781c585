#include <ATen/ATen.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "nmt/batch_decoding/batch_decoder.h"
#include "nmt/batch_decoding/candidates.h"
#include "nmt/batch_decoding/constrained_beams.h"
#include "nmt/search/beam.h"
#include "nmt/search/diverse_step.h"

namespace dietmt::nmt {
namespace {

// The beams still open, in the order of their rows in the scorer.
class OpenBeams {
 public:
  OpenBeams(std::span<const SearchTask> tasks, const SpecialTokens& special,
            const SearchOptions& options)
      : special_(special),
        options_(options),
        limits_(options, special),
        constrained_(tasks, special, options),
        diverse_(options, special),
        results_(tasks.size()) {
    beams_.reserve(tasks.size());
    for (size_t i = 0; i < tasks.size(); ++i) {
      beams_.emplace_back(tasks[i], special, options);
      open_.push_back(i);
    }
  }

  bool empty() const { return open_.empty(); }

  at::Tensor first_tokens() const { return at::full({rows()}, special_.begin, at::kLong); }

  // One step: takes log-probabilities and returns the next tokens. Finished sentences leave
  // `scorer`.
  at::Tensor advance(at::Tensor log_probs, int64_t step, StepScorer& scorer) {
    std::vector<const SearchTask*> tasks;
    std::vector<double> sums;
    for (const size_t i : open_) {
      tasks.push_back(&beams_[i].task());
      sums.insert(sums.end(), beams_[i].sums().begin(), beams_[i].sums().end());
      sums.resize(tasks.size() * static_cast<size_t>(options_.beam), kImpossible);
    }
    const std::vector<const Beam*> beams = open_beams();
    if (constrained_.any()) constrained_.read_wanted(log_probs, beams, open_, step);
    constrain(log_probs, tasks, step, special_, limits_, repeated_tokens(step));
    const bool by_row = options_.diverse_groups > 1;
    auto candidates =
        best_candidates(log_probs, sums, by_row ? rows() : std::ssize(open_), 2 * options_.beam);
    if (constrained_.any()) constrained_.choose(log_probs, beams, open_, candidates);

    std::vector<int64_t> sentence_index, row_index, tokens;
    std::vector<size_t> still_open;
    for (size_t b = 0; b < open_.size(); ++b) {
      Beam& beam = beams_[open_[b]];
      const bool goes_on =
          by_row ? advance_groups(beam, rows_of(candidates, b)) : beam.advance(candidates[b]);
      if (!goes_on) {
        results_[open_[b]] = std::move(beam).result();
        continue;
      }
      still_open.push_back(open_[b]);
      sentence_index.push_back(static_cast<int64_t>(b));
      for (size_t k = 0; k < static_cast<size_t>(options_.beam); ++k) {
        const bool open = k < beam.size();  // the other rows have no hypothesis
        row_index.push_back(static_cast<int64_t>(b) * options_.beam + (open ? beam.parent(k) : 0));
        tokens.push_back(open ? beam.token(k) : special_.end);
      }
    }
    open_ = std::move(still_open);
    if (!open_.empty() && moved(row_index, static_cast<int64_t>(sums.size())))
      scorer.reorder(at::tensor(sentence_index, at::kLong), at::tensor(row_index, at::kLong));
    return at::tensor(tokens, at::kLong);
  }

  std::vector<NBest> results() && { return std::move(results_); }

 private:
  std::vector<const Beam*> open_beams() const {
    std::vector<const Beam*> beams;
    for (const size_t i : open_) beams.push_back(&beams_[i]);
    return beams;
  }

  // Those of all hypotheses of open sentence b.
  std::span<std::vector<Candidate>> rows_of(std::vector<std::vector<Candidate>>& of_rows,
                                            size_t b) const {
    const auto size = static_cast<size_t>(options_.beam);
    return std::span(of_rows).subspan(b * size, size);
  }

  bool advance_groups(Beam& beam, std::span<std::vector<Candidate>> of_rows) {
    for (size_t k = 0; k < beam.size(); ++k) {
      for (Candidate& candidate : of_rows[k]) {
        candidate.beam = static_cast<int32_t>(k);
        diverse_.offer(candidate);
      }
    }
    return beam.advance_groups(diverse_.choose(beam));
  }

  RepeatedInRows repeated_tokens(int64_t step) const {
    RepeatedInRows all;
    if (!limits_.any()) return all;
    std::vector<int32_t> tokens;
    for (size_t b = 0; b < open_.size(); ++b) {
      const Beam& beam = beams_[open_[b]];
      if (beam.task().forced_token(step, special_) >= 0) continue;
      for (size_t k = 0; k < beam.size(); ++k) {
        beam.read_tokens(k, tokens);
        all.add(static_cast<int64_t>(b) * options_.beam + static_cast<int64_t>(k),
                limits_.repeated(tokens));
      }
    }
    return all;
  }

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
  const RepetitionLimits limits_;
  ConstrainedBeams constrained_;
  DiverseStep diverse_;
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
