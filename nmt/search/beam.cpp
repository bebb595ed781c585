#include "nmt/search/beam.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "common/random.h"

namespace dietmt::nmt {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();
constexpr auto kBefore = [](const Candidate& a, const Candidate& b) { return a.before(b); };

// Of a search with constraints, only the hypotheses of one bank can end: half as many are enough.
int64_t finished_to_end(const SearchTask& task, const SearchOptions& options) {
  const int64_t all = options.finished_to_end();
  return task.constraints ? std::max(options.nbest, (all + 1) / 2) : all;
}

bool better(const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; }

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
  std::push_heap(heap_.begin(), heap_.end(), kBefore);
  if (heap_.size() <= count_) return;
  std::pop_heap(heap_.begin(), heap_.end(), kBefore);
  heap_.pop_back();
}

const std::vector<Candidate>& Selection::sorted() {
  std::sort(heap_.begin(), heap_.end(), kBefore);
  return heap_;
}

double length_normalized(double sum, int64_t length, const SearchOptions& options) {
  const auto tokens = static_cast<double>(length);
  const double base = options.length_norm == LengthNorm::kGnmt ? (5.0 + tokens) / 6.0 : tokens;
  return sum / std::pow(base, options.length_penalty);
}

Beam::Beam(const SearchTask& task, const SpecialTokens& special, const SearchOptions& options)
    : task_(task),
      special_(special),
      options_(options),
      finished_to_end_(static_cast<size_t>(finished_to_end(task, options))) {
  const auto size = static_cast<size_t>(options.beam);
  nodes_.reserve(size * static_cast<size_t>(task.max_length));
  steps_.reserve(static_cast<size_t>(task.max_length));
  sums_.reserve(size);
  sums_.push_back(0.0);
  done_.reserve(size + 1);
}

bool Beam::advance(std::span<const Candidate> candidates) {
  const auto size = static_cast<size_t>(options_.beam);
  const size_t first = nodes_.size();
  sums_.clear();
  for (size_t rank = 0; rank < candidates.size() && sums_.size() < size; ++rank) {
    const Candidate& candidate = candidates[rank];
    if (candidate.token != special_.end) {
      nodes_.push_back({candidate.token, candidate.beam, candidate.log_prob});
      sums_.push_back(candidate.sum);
    } else if (rank < size) {
      done_.push_back(hypothesis(candidate));
    }
  }
  steps_.push_back(first);
  first_ = first;
  return !sums_.empty() && done_.size() < finished_to_end_ && !cannot_improve(sums_.front());
}

Hypothesis Beam::hypothesis(const Candidate& last) const {
  Hypothesis found;
  found.ids.reserve(steps_.size());
  found.token_scores.reserve(steps_.size() + 1);
  found.token_scores.push_back(last.log_prob);
  int32_t k = last.beam;
  if (options_.alignment) found.rows.push_back(k);
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    const Node& node = nodes_[*step + static_cast<size_t>(k)];
    found.ids.push_back(node.token);
    found.token_scores.push_back(node.log_prob);
    k = node.parent;
    if (options_.alignment) found.rows.push_back(k);
  }
  std::reverse(found.rows.begin(), found.rows.end());
  std::reverse(found.ids.begin(), found.ids.end());
  std::reverse(found.token_scores.begin(), found.token_scores.end());
  found.sum = last.sum;
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

// True if no open hypothesis can enter the n best; the best of them has `best_sum`.
bool Beam::cannot_improve(double best_sum) {
  const auto wanted = static_cast<size_t>(options_.nbest);
  if (done_.size() < wanted) return false;
  const auto last = done_.begin() + static_cast<std::ptrdiff_t>(wanted) - 1;
  std::nth_element(done_.begin(), last, done_.end(), better);
  return length_normalized(best_sum, task_.max_length, options_) <= last->score;
}

NBest Beam::result() && {
  const auto wanted = std::min(done_.size(), static_cast<size_t>(options_.nbest));
  std::stable_sort(done_.begin(), done_.end(), better);
  done_.resize(wanted);
  return std::move(done_);
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
  uint64_t key = random_key(options_.seed, static_cast<uint64_t>(task_.index));
  key = random_key(key, static_cast<uint64_t>(sample));
  return Random(random_key(key, static_cast<uint64_t>(step))).uniform();
}

void Samples::append(int64_t sample, int32_t token, float log_prob, int32_t row) {
  const auto k = static_cast<size_t>(sample);
  if (ended_[k]) return;
  Hypothesis& hypothesis = hypotheses_[k];
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
