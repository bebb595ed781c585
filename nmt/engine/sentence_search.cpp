#include "nmt/engine/sentence_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "common/error.h"
#include "kernels/rowwise.h"
#include "nmt/search/beam.h"
#include "nmt/search/constrained_step.h"
#include "nmt/search/diverse_step.h"
#include "nmt/search/token_limits.h"

namespace dietmt::nmt {
namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

// True if a token other than end of sentence may follow at `step`.
bool can_go_on(const TokenScores& scores, const SearchTask& task, const SpecialTokens& special,
               int64_t step, const LimitedTokens& limited) {
  const float impossible = scores.probabilities ? 0.0F : kMinusInfinity;
  const auto next = [&](int64_t first) {
    return kernels::row_kernels().next_above(scores.values, first, scores.vocabulary, impossible);
  };
  for (int64_t v = next(0); v < scores.vocabulary; v = next(v + 1)) {
    const auto token = static_cast<int32_t>(v);
    if (token != special.end && task.allows(token, step, special) && !limited.blocks(token))
      return true;
  }
  return false;
}

class BeamSearch : public SentenceSearch {
 public:
  BeamSearch(const SearchTask& task, const SpecialTokens& special, const SearchOptions& options)
      : task_(task),
        special_(special),
        wanted_(2 * options.beam),
        beam_(task, special, options),
        best_(static_cast<size_t>(wanted_)),
        forbidden_{special.unknown, special.begin, special.end},
        limits_(options, special, task) {
    if (limits_.any()) find_limited();
    if (task.constraints) constrained_.emplace(*task.constraints, special, options.beam);
    if (options.diverse_groups > 1) diverse_.emplace(options, special);
  }

  int64_t rows() const override { return static_cast<int64_t>(beam_.size()); }
  int32_t token(int64_t row) const override {
    return step_ == 0 ? special_.begin : beam_.token(static_cast<size_t>(row));
  }
  int32_t parent(int64_t row) const override { return beam_.parent(static_cast<size_t>(row)); }

  int64_t best_wanted() const override { return is_forced() ? 0 : wanted_; }
  bool forbids_by_row() const override { return limits_.any() && !is_forced(); }
  std::span<const int32_t> forbidden(int64_t row) const override {
    const auto all = forbids_by_row() ? std::span(row_forbidden_[static_cast<size_t>(row)])
                                      : std::span<const int32_t>(forbidden_);
    // End of sentence is the last of them.
    return all.first(all.size() - (step_ < task_.min_length ? 0 : 1));
  }

  std::vector<int32_t> asked(int64_t row) const override {
    const auto k = static_cast<size_t>(row);
    if (const int32_t forced = task_.forced_token(step_, special_); forced >= 0) return {forced};
    if (const std::vector<int32_t>* choices = choices_of(row)) return *choices;
    std::vector<int32_t> tokens;
    if (constrained_) tokens = constrained_->wanted(k);
    if (!limits_.any()) return tokens;
    const std::vector<int32_t>& penalized = limited_[k].penalized;
    tokens.insert(tokens.end(), penalized.begin(), penalized.end());
    tokens.push_back(special_.end);
    return tokens;
  }

  void read(int64_t row, const TokenScores& scores) override {
    if (const int32_t forced = task_.forced_token(step_, special_); forced >= 0)
      offer(row, forced, scores.log_prob(forced));
    else if (const std::vector<int32_t>* choices = choices_of(row))
      for (const int32_t token : *choices) offer(row, token, scores.log_prob(token));
    else
      offer_best(row, scores);
    if (constrained_) move_to_constrained(row, scores);
    if (diverse_) move_to_diverse();
  }

  bool advance() override {
    ++step_;
    const bool open = take_candidates();
    best_.clear();
    if (open && limits_.any()) find_limited();
    return open;
  }

  NBest result() override { return std::move(beam_).result(); }

 private:
  bool take_candidates() {
    if (diverse_) return beam_.advance_groups(diverse_->choose(beam_));
    return beam_.advance(constrained_ ? constrained_->choose() : best_.sorted());
  }

  bool is_forced() const { return task_.forced_token(step_, special_) >= 0; }

  // SearchTask::choices() after the tokens of a row.
  const std::vector<int32_t>* choices_of(int64_t row) const {
    if (!task_.is_in_open_word(step_)) return nullptr;
    std::vector<int32_t> tokens;
    beam_.read_tokens(static_cast<size_t>(row), tokens);
    return task_.choices(tokens);
  }

  void offer_best(int64_t row, const TokenScores& scores) {
    if (scores.best.empty()) scan(row, scores);
    for (const int32_t token : scores.best) {
      if (token < 0) break;
      offer(row, token, scores.log_prob(token));
    }
    if (limits_.any()) offer_limited(row, scores);
  }

  // Then best_ holds the candidates of a single row.
  void move_to_constrained(int64_t row, const TokenScores& scores) {
    if (!is_forced() && choices_of(row) == nullptr) {
      const double sum = beam_.sums()[static_cast<size_t>(row)];
      for (const int32_t token : constrained_->wanted(static_cast<size_t>(row))) {
        const float log_prob = scores.log_prob(token);
        constrained_->offer_wanted({sum + log_prob, log_prob, static_cast<int32_t>(row), token});
      }
    }
    for (const Candidate& candidate : best_.sorted()) constrained_->offer(candidate);
    best_.clear();
  }

  void move_to_diverse() {
    for (const Candidate& candidate : best_.sorted()) diverse_->offer(candidate);
    best_.clear();
  }

  // A penalty changes the order of tokens, so the tokens that get it are not among the best of a
  // row but offered on their own.
  void find_limited() {
    limited_.resize(beam_.size());
    row_forbidden_.resize(beam_.size());
    for (size_t k = 0; k < beam_.size(); ++k) {
      beam_.read_tokens(k, tokens_);
      limited_[k] = limits_.after(tokens_);
      std::vector<int32_t>& forbidden = row_forbidden_[k];
      forbidden = limited_[k].blocked;
      forbidden.insert(forbidden.end(), limited_[k].penalized.begin(), limited_[k].penalized.end());
      forbidden.insert(forbidden.end(), forbidden_.begin(), forbidden_.end());
    }
  }

  void offer_limited(int64_t row, const TokenScores& scores) {
    const LimitedTokens& limited = limited_[static_cast<size_t>(row)];
    for (const int32_t token : limited.penalized)
      offer(row, token, limits_.penalized(scores.log_prob(token)));
    if (step_ < task_.min_length && !limited.blocked.empty() &&
        !can_go_on(scores, task_, special_, step_, limited))
      offer(row, special_.end, scores.log_prob(special_.end));
  }

  // Scans a whole row, if nobody has selected its best tokens.
  void scan(int64_t row, const TokenScores& scores) {
    const double sum = beam_.sums()[static_cast<size_t>(row)];
    const auto limit = [&] { return scores.value_below(best_.threshold() - sum); };
    const auto next = [&](int64_t first, float lowest) {
      return kernels::row_kernels().next_above(scores.values, first, scores.vocabulary, lowest);
    };
    float lowest = limit();
    for (int64_t v = next(0, lowest); v < scores.vocabulary; v = next(v + 1, lowest)) {
      const auto token = static_cast<int32_t>(v);
      if (!task_.allows(token, step_, special_) || is_limited(row, token)) continue;
      offer(row, token, scores.log_prob(token));
      lowest = limit();
    }
  }

  bool is_limited(int64_t row, int32_t token) const {
    if (!limits_.any()) return false;
    const LimitedTokens& limited = limited_[static_cast<size_t>(row)];
    return limited.blocks(token) || limited.penalizes(token);
  }

  void offer(int64_t row, int32_t token, float log_prob) {
    best_.offer({beam_.sums()[static_cast<size_t>(row)] + log_prob, log_prob,
                 static_cast<int32_t>(row), token});
  }

  const SearchTask& task_;
  const SpecialTokens& special_;
  const int64_t wanted_;
  Beam beam_;
  Selection best_;
  const std::array<int32_t, 3> forbidden_;
  const TokenLimits limits_;
  std::vector<LimitedTokens> limited_;               // of the rows, if there are limits
  std::vector<std::vector<int32_t>> row_forbidden_;  // the same tokens and those of forbidden_
  std::vector<int32_t> tokens_;                      // of one row
  std::optional<ConstrainedStep> constrained_;
  std::optional<DiverseStep> diverse_;
  int64_t step_ = 0;
};

class SampleSearch : public SentenceSearch {
 public:
  SampleSearch(const SearchTask& task, const SpecialTokens& special, const SearchOptions& options,
               TokenDraw& draw)
      : task_(task),
        special_(special),
        options_(options),
        draw_(draw),
        samples_(task, special, options),
        limits_(options, special, task),
        rows_{{-1, special.begin, 0}},
        terms_(task.constraints ? static_cast<size_t>(options.nbest) : 0) {}

  int64_t rows() const override { return static_cast<int64_t>(rows_.size()); }
  int32_t token(int64_t row) const override { return rows_[static_cast<size_t>(row)].token; }
  int32_t parent(int64_t row) const override { return rows_[static_cast<size_t>(row)].parent; }

  int64_t best_wanted() const override { return 0; }
  std::span<const int32_t> forbidden(int64_t) const override { return {}; }
  bool forbids_by_row() const override { return false; }

  void read(int64_t row, const TokenScores& scores) override {
    const int64_t sample = rows_[static_cast<size_t>(row)].sample;
    const bool all = sample < 0;  // the first step: all samples share one row
    for (int64_t k = all ? 0 : sample; k < (all ? options_.nbest : sample + 1); ++k) {
      const auto [token, log_prob] = next_token(k, scores);
      samples_.append(k, token, log_prob, static_cast<int32_t>(row));
      if (task_.constraints) follow_terms(k, token);
      if (!samples_.ended(k)) next_.push_back({k, token, static_cast<int32_t>(row)});
    }
  }

  bool advance() override {
    ++step_;
    rows_.swap(next_);
    next_.clear();
    return !rows_.empty();
  }

  NBest result() override { return std::move(samples_).ranked(); }

 private:
  struct Row {
    int64_t sample;
    int32_t token;
    int32_t parent;
  };

  struct Drawn {
    int32_t token;
    float log_prob;
  };

  // How far a sample has come with its constraints. It draws from all tokens until it would end
  // without one of them, or has only room for them; then it draws from the tokens of an unmet one
  // until that is complete.
  enum class TermPlace { kOutside, kInside, kAfter };
  struct Terms {
    ConstraintTrie::State state = {};
    TermPlace place = TermPlace::kOutside;
  };

  Drawn next_token(int64_t sample, const TokenScores& scores) {
    if (const int32_t forced = task_.forced_token(step_, special_); forced >= 0)
      return {forced, scores.log_prob(forced)};
    const double uniform = samples_.uniform(sample, step_);
    if (const std::vector<int32_t>* choices = task_.choices(samples_.tokens(sample)))
      return draw_one_of(*choices, uniform, scores);
    if (task_.constraints && needs_all_room(sample)) place(sample) = TermPlace::kInside;
    if (task_.constraints && place(sample) == TermPlace::kInside)
      return draw_one_of(wanted(sample), uniform, scores);
    std::vector<float>& row = draw_.scores(scores.vocabulary);
    for (int64_t v = 0; v < scores.vocabulary; ++v)
      row[static_cast<size_t>(v)] = scores.log_prob(v);
    for (const int32_t token : {special_.unknown, special_.begin, special_.end})
      if (token >= 0 && !task_.allows(token, step_, special_))
        row[static_cast<size_t>(token)] = kMinusInfinity;
    if (task_.constraints && place(sample) == TermPlace::kAfter) end_word(sample, row);
    if (limits_.any()) limit_repetition(sample, scores, row);
    const int32_t token = draw_.draw(uniform, options_);
    if (token == special_.end && task_.constraints && !wanted(sample).empty()) {
      place(sample) = TermPlace::kInside;
      return draw_one_of(wanted_, uniform, scores);
    }
    const float log_prob = scores.log_prob(token);
    return {token, limited_.penalizes(token) ? limits_.penalized(log_prob) : log_prob};
  }

  Drawn draw_one_of(std::span<const int32_t> tokens, double uniform, const TokenScores& scores) {
    std::vector<float>& row = draw_.scores(scores.vocabulary);
    std::ranges::fill(row, kMinusInfinity);
    for (const int32_t token : tokens) row[static_cast<size_t>(token)] = scores.log_prob(token);
    const int32_t token = draw_.draw(uniform, options_);
    return {token, scores.log_prob(token)};
  }

  TermPlace& place(int64_t sample) { return terms_[static_cast<size_t>(sample)].place; }

  // Whether the longest translation has only room for the unmet constraints.
  bool needs_all_room(int64_t sample) {
    const ConstraintTrie::State state = terms_[static_cast<size_t>(sample)].state;
    const int64_t left = task_.max_length - 1 - step_;
    const int64_t unmet = task_.constraints->tokens() - task_.constraints->tokens_met(state);
    return left <= unmet && !wanted(sample).empty();
  }

  // Tokens of unmet constraints; none if all are met.
  std::span<const int32_t> wanted(int64_t sample) {
    const ConstraintTrie::State state = terms_[static_cast<size_t>(sample)].state;
    task_.constraints->wanted(state, wanted_);
    if (task_.constraints->is_met(state)) wanted_.clear();
    return wanted_;
  }

  // Forbids to continue the last word of a term.
  void end_word(int64_t sample, std::vector<float>& row) const {
    const ConstraintTrie::State state = terms_[static_cast<size_t>(sample)].state;
    for (size_t v = 0; v < row.size(); ++v)
      if (task_.constraints->breaks(state, static_cast<int32_t>(v))) row[v] = kMinusInfinity;
  }

  void follow_terms(int64_t sample, int32_t token) {
    Terms& terms = terms_[static_cast<size_t>(sample)];
    terms.state = task_.constraints->next(terms.state, token);
    if (terms.place == TermPlace::kAfter)
      terms.place = TermPlace::kOutside;
    else if (terms.place == TermPlace::kInside && !task_.constraints->is_inside(terms.state))
      terms.place = TermPlace::kAfter;
  }

  void limit_repetition(int64_t sample, const TokenScores& scores, std::vector<float>& row) {
    limited_ = limits_.after(samples_.tokens(sample));
    for (const int32_t token : limited_.blocked) row[static_cast<size_t>(token)] = kMinusInfinity;
    for (const int32_t token : limited_.penalized) {
      float& log_prob = row[static_cast<size_t>(token)];
      log_prob = limits_.penalized(log_prob);
    }
    if (step_ < task_.min_length && !limited_.blocked.empty() &&
        !can_go_on(scores, task_, special_, step_, limited_))
      row[static_cast<size_t>(special_.end)] = scores.log_prob(special_.end);
  }

  const SearchTask& task_;
  const SpecialTokens& special_;
  const SearchOptions& options_;
  TokenDraw& draw_;
  Samples samples_;
  const TokenLimits limits_;
  LimitedTokens limited_;         // of the sample that gets a token
  std::vector<Row> rows_, next_;  // of the open samples
  std::vector<Terms> terms_;      // of the samples, if there are constraints
  std::vector<int32_t> wanted_;
  int64_t step_ = 0;
};

}  // namespace

float TokenScores::value_below(double log_prob) const {
  // The margin is wider than the rounding error of a log-probability.
  const double limit = log_prob + static_cast<double>(normalizer) - 1e-4;
  return static_cast<float>(probabilities ? std::exp(limit) : limit);
}

std::unique_ptr<SentenceSearch> make_search(const SearchTask& task, const SpecialTokens& special,
                                            const SearchOptions& options, TokenDraw& draw) {
  if (options.sample) return std::make_unique<SampleSearch>(task, special, options, draw);
  return std::make_unique<BeamSearch>(task, special, options);
}

}  // namespace dietmt::nmt
