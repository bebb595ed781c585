#include "nmt/tensor_decoding/host_searches.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <ranges>

#include "nmt/engine/sentence_search.h"
#include "nmt/tensor_decoding/token_places.h"

namespace dietmt::nmt {
namespace {

using at::Tensor;

using Searches = std::vector<std::unique_ptr<SentenceSearch>>;

// The log-probabilities of one step that the beam searches read.
class BestScores {
 public:
  // log_probs: [B * K, V], in which forbidden tokens are overwritten. `searches`: B, with up to K
  // rows each.
  BestScores(Tensor& log_probs, const Searches& searches, int64_t beam, std::vector<float>& row)
      : row_(row) {
    const int64_t vocabulary = log_probs.size(1);
    row_.resize(static_cast<size_t>(vocabulary), kImpossible);
    TokenPlaces asked(vocabulary), forbidden(vocabulary);
    int64_t wanted = 1;
    for (size_t b = 0; b < searches.size(); ++b) {
      wanted = std::max(wanted, searches[b]->best_wanted());
      for (int64_t k = 0; k < searches[b]->rows(); ++k) {
        const int64_t at = static_cast<int64_t>(b) * beam + k;
        asked_.push_back(searches[b]->asked(k));
        asked.add(at, asked_.back());
        forbidden.add(at, searches[b]->forbidden(k));
      }
    }
    asked_scores_ = asked.read(log_probs);
    forbidden.fill(log_probs, kImpossible);
    const auto [values, tokens] = log_probs.topk(std::min(wanted, vocabulary), -1);
    best_scores_ = values.cpu();
    best_tokens_ = tokens.cpu();
  }

  // Row k of a search is row `at` of the step; all rows must be read, in order.
  void read(SentenceSearch& search, int64_t k, int64_t at) {
    std::vector<int32_t> best;
    const int64_t count = best_scores_.size(1);
    const float* scores = best_scores_.const_data_ptr<float>() + at * count;
    const int64_t* tokens = best_tokens_.const_data_ptr<int64_t>() + at * count;
    for (int64_t i = 0; i < std::min(count, search.best_wanted()); ++i)
      if (scores[i] > kImpossible)
        set(best.emplace_back(static_cast<int32_t>(tokens[i])), scores[i]);
    const std::vector<int32_t>& asked = asked_[next_row_++];
    for (const int32_t token : asked) set(token, asked_scores_[next_asked_++]);
    best.push_back(-1);
    search.read(k, {row_.data(), std::ssize(row_), 0.0F, false, best});
    best.pop_back();
    for (const int32_t token : best) set(token, kImpossible);
    for (const int32_t token : asked) set(token, kImpossible);
  }

 private:
  void set(int32_t token, float score) {
    row_[static_cast<size_t>(token)] = std::isnan(score) ? kImpossible : score;
  }

  std::vector<float>& row_;  // [V], impossible between two reads
  std::vector<std::vector<int32_t>> asked_;
  std::vector<float> asked_scores_;  // for all tokens in asked_
  Tensor best_scores_;               // [B * K, wanted]
  Tensor best_tokens_;
  size_t next_row_ = 0;
  size_t next_asked_ = 0;
};

void read_best(Tensor& log_probs, const Searches& searches, int64_t beam, std::vector<float>& row) {
  BestScores scores(log_probs, searches, beam, row);
  for (size_t b = 0; b < searches.size(); ++b)
    for (int64_t k = 0; k < searches[b]->rows(); ++k)
      scores.read(*searches[b], k, static_cast<int64_t>(b) * beam + k);
}

void read_all(const Tensor& log_probs, const Searches& searches, int64_t samples) {
  const Tensor scores = log_probs.cpu().contiguous();
  const int64_t vocabulary = scores.size(1);
  for (size_t b = 0; b < searches.size(); ++b) {
    for (int64_t k = 0; k < searches[b]->rows(); ++k) {
      const int64_t row = static_cast<int64_t>(b) * samples + k;
      searches[b]->read(
          k, {scores.const_data_ptr<float>() + row * vocabulary, vocabulary, 0.0F, false, {}});
    }
  }
}

}  // namespace

std::vector<NBest> search_on_host(StepScorer& scorer, std::span<const SearchTask> tasks,
                                  const SpecialTokens& special, const SearchOptions& options) {
  const int64_t most_rows = options.rows();
  TokenDraw draw;
  Searches searches;
  std::vector<size_t> open;  // tasks of the searches
  for (const SearchTask& task : tasks) {
    open.push_back(searches.size());
    searches.push_back(make_search(task, special, options, draw));
  }
  std::vector<NBest> results(tasks.size());
  std::vector<float> row;
  std::vector<int64_t> tokens(tasks.size() * static_cast<size_t>(most_rows), special.begin);
  while (!searches.empty()) {
    const int64_t step_rows = std::ssize(tokens);
    Tensor log_probs = scorer.step(at::tensor(tokens, at::kLong));  // [B * K, V]
    if (options.sample)
      read_all(log_probs, searches, most_rows);
    else
      read_best(log_probs, searches, most_rows, row);
    Searches still_searching;
    std::vector<size_t> still_open;
    std::vector<int64_t> sentences, rows;
    tokens.clear();
    for (size_t b = 0; b < searches.size(); ++b) {
      SentenceSearch& search = *searches[b];
      const int64_t first = static_cast<int64_t>(b) * most_rows;
      if (!search.advance()) {
        results[open[b]] = search.result();
        continue;
      }
      sentences.push_back(static_cast<int64_t>(b));
      for (int64_t k = 0; k < most_rows; ++k) {
        const bool has_hypothesis = k < search.rows();
        rows.push_back(first + (has_hypothesis ? search.parent(k) : 0));
        tokens.push_back(has_hypothesis ? search.token(k) : special.end);
      }
      still_open.push_back(open[b]);
      still_searching.push_back(std::move(searches[b]));
    }
    searches = std::move(still_searching);
    open = std::move(still_open);
    const bool moved = !std::ranges::equal(rows, std::views::iota(int64_t{0}, step_rows));
    if (moved && !searches.empty())
      scorer.reorder(at::tensor(sentences, at::kLong), at::tensor(rows, at::kLong));
  }
  return results;
}

}  // namespace dietmt::nmt
