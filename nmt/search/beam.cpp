#include "nmt/search/beam.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <tuple>

#include "common/error.h"
#include "common/random.h"

namespace dietmt::nmt {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

// With constraints only the hypotheses of one bank can end, so half as many are enough.
int64_t finished_to_end(const SearchTask& task, const SearchOptions& options) {
  const int64_t all = options.group_finished_to_end();
  return task.constraints ? std::max(options.nbest, (all + 1) / 2) : all;
}

bool better(const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; }

void remove_repeated(NBest& sorted) {
  NBest distinct;
  for (Hypothesis& one : sorted) {
    const auto is_same = [&](const Hypothesis& other) { return other.ids == one.ids; };
    if (std::ranges::none_of(distinct, is_same)) distinct.push_back(std::move(one));
  }
  sorted = std::move(distinct);
}

}  // namespace

bool Candidate::before(const Candidate& other) const {
  if (sum != other.sum) return sum > other.sum;
  return std::tie(beam, token) < std::tie(other.beam, other.token);
}

Selection::Selection(size_t count) : count_(count) { heap_.reserve(count + 1); }

double Selection::threshold() const {
  return heap_.size() < count_ ? kMinusInfinity : heap_.front().sum;
}

void Selection::offer(const Candidate& candidate) {
  if (candidate.sum == kMinusInfinity) return;
  if (heap_.size() == count_ && !candidate.before(heap_.front())) return;
  heap_.push_back(candidate);
  std::push_heap(heap_.begin(), heap_.end(), kBestFirst);
  if (heap_.size() <= count_) return;
  std::pop_heap(heap_.begin(), heap_.end(), kBestFirst);
  heap_.pop_back();
}

const std::vector<Candidate>& Selection::sorted() {
  std::sort(heap_.begin(), heap_.end(), kBestFirst);
  return heap_;
}

double length_normalized(double sum, int64_t length, const SearchOptions& options) {
  const auto tokens = static_cast<double>(length);
  const double base = options.length_norm == "gnmt" ? (5.0 + tokens) / 6.0 : tokens;
  return sum / std::pow(base, options.length_penalty);
}

Beam::Beam(const SearchTask& task, const SpecialTokens& special, const SearchOptions& options)
    : task_(task),
      special_(special),
      options_(options),
      finished_to_end_(static_cast<size_t>(finished_to_end(task, options))),
      wanted_(options.coverage_penalty > 0.0
                  ? finished_to_end_
                  : std::min(static_cast<size_t>(options.nbest), finished_to_end_)),
      groups_(static_cast<size_t>(options.diverse_groups)) {
  const auto size = static_cast<size_t>(options.beam);
  nodes_.reserve(size * static_cast<size_t>(task.max_length));
  steps_.reserve(static_cast<size_t>(task.max_length));
  sums_.reserve(size);
  sums_.resize(groups_.size(), 0.0);
  for (Group& group : groups_) group.done.reserve(size / groups_.size() + 1);
}

bool Beam::advance(std::span<const Candidate> candidates) {
  const size_t first = begin_step(candidates);
  sums_.clear();
  extend(groups_.front(), candidates);
  return end_step(first);
}

bool Beam::advance_groups(std::span<const std::vector<Candidate>> candidates) {
  const size_t first = begin_step(candidates.front());
  sums_.clear();
  for (size_t g = 0; g < groups_.size(); ++g) extend(groups_[g], candidates[g]);
  return end_step(first);
}

// Candidates for an unscored token are alike.
size_t Beam::begin_step(std::span<const Candidate> candidates) {
  if (is_unscored(std::ssize(steps_)) && !candidates.empty())
    unscored_ += candidates.front().log_prob;
  return nodes_.size();
}

void Beam::extend(Group& group, std::span<const Candidate> candidates) {
  const auto size = static_cast<size_t>(options_.group_beam());
  const size_t first = sums_.size();
  group.open = 0;
  for (size_t rank = 0; rank < candidates.size() && group.open < size; ++rank) {
    const Candidate& candidate = candidates[rank];
    if (candidate.token != special_.end) {
      nodes_.push_back({candidate.token, candidate.beam, candidate.log_prob});
      sums_.push_back(candidate.sum);
      ++group.open;
    } else if (rank < size) {
      group.done.push_back(hypothesis(candidate));
    }
  }
  if (group.open == 0) return;
  if (group.done.size() < finished_to_end_ && !cannot_improve(group.done, sums_[first])) return;
  nodes_.resize(nodes_.size() - group.open);
  sums_.resize(first);
  group.open = 0;
}

bool Beam::end_step(size_t first) {
  steps_.push_back(first);
  first_ = first;
  return !sums_.empty();
}

Hypothesis Beam::hypothesis(const Candidate& last) const {
  Hypothesis found;
  found.ids.reserve(steps_.size());
  found.token_scores.reserve(steps_.size() + 1);
  found.token_scores.push_back(last.log_prob);
  int32_t k = last.beam;
  if (options_.needs_attention()) found.rows.push_back(k);
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    const Node& node = nodes_[*step + static_cast<size_t>(k)];
    found.ids.push_back(node.token);
    const auto place = std::distance(step, steps_.rend()) - 1;
    found.token_scores.push_back(is_unscored(place) ? 0.0F : node.log_prob);
    k = node.parent;
    if (options_.needs_attention()) found.rows.push_back(k);
  }
  std::reverse(found.rows.begin(), found.rows.end());
  std::reverse(found.ids.begin(), found.ids.end());
  std::reverse(found.token_scores.begin(), found.token_scores.end());
  found.sum = last.sum - unscored_;
  found.score =
      length_normalized(found.sum, static_cast<int64_t>(found.token_scores.size()), options_);
  return found;
}

void Beam::read_tokens(size_t k, std::vector<int32_t>& tokens) const {
  tokens.resize(steps_.size());
  for (size_t step = steps_.size(); step > 0; --step) {
    const Node& node = nodes_[steps_[step - 1] + k];
    tokens[step - 1] = node.token;
    k = static_cast<size_t>(node.parent);
  }
}

// True if no open hypothesis of a group can become one of its best; `best_sum` is the best open
// sum.
bool Beam::cannot_improve(NBest& done, double best_sum) const {
  if (done.size() < wanted_) return false;
  const auto last = done.begin() + static_cast<std::ptrdiff_t>(wanted_) - 1;
  std::nth_element(done.begin(), last, done.end(), better);
  return length_normalized(best_sum - unscored_, task_.max_length, options_) <= last->score;
}

NBest Beam::result() && {
  NBest all = std::move(groups_.front().done);
  for (size_t g = 1; g < groups_.size(); ++g)
    std::ranges::move(groups_[g].done, std::back_inserter(all));
  std::stable_sort(all.begin(), all.end(), better);
  if (all.empty()) throw DataError("the model's scores are not finite");
  if (groups_.size() > 1) remove_repeated(all);
  const auto most = static_cast<size_t>(options_.nbest);
  if (options_.coverage_penalty == 0.0 && all.size() > most) all.resize(most);
  return all;
}

Samples::Samples(const SearchTask& task, const SpecialTokens& special, const SearchOptions& options)
    : task_(task),
      special_(special),
      options_(options),
      hypotheses_(static_cast<size_t>(options.nbest)),
      ended_(static_cast<size_t>(options.nbest)) {}

bool Samples::all_ended() const {
  return std::find(ended_.begin(), ended_.end(), false) == ended_.end();
}

double Samples::uniform(int64_t sample, int64_t step) const {
  uint64_t key =
      random_key(static_cast<uint64_t>(options_.seed), static_cast<uint64_t>(task_.index));
  key = random_key(key, static_cast<uint64_t>(sample));
  return Random(random_key(key, static_cast<uint64_t>(step))).uniform();
}

void Samples::append(int64_t sample, int32_t token, float log_prob, int32_t row) {
  const auto k = static_cast<size_t>(sample);
  if (ended_[k]) return;
  Hypothesis& hypothesis = hypotheses_[k];
  if (std::ssize(hypothesis.ids) < task_.unscored) log_prob = 0.0F;
  hypothesis.token_scores.push_back(log_prob);
  hypothesis.sum += log_prob;
  if (options_.alignment) hypothesis.rows.push_back(row);
  ended_[k] = token == special_.end;
  if (!ended_[k]) hypothesis.ids.push_back(token);
}

NBest Samples::ranked() && {
  for (Hypothesis& hypothesis : hypotheses_) {
    const auto length = static_cast<int64_t>(hypothesis.token_scores.size());
    hypothesis.score = length_normalized(hypothesis.sum, length, options_);
  }
  std::stable_sort(hypotheses_.begin(), hypotheses_.end(),
                   [](const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; });
  return std::move(hypotheses_);
}

}  // namespace dietmt::nmt
