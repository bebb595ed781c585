#include "nmt/search/constrained_step.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace dietmt::nmt {
namespace {

constexpr auto kBetterOffer = [](const auto& a, const auto& b) {
  return a.candidate.before(b.candidate);
};

}  // namespace

std::vector<size_t> bank_sizes(std::span<const Bank> banks, size_t beam) {
  std::vector<size_t> sizes(banks.size());
  std::vector<size_t> turns;  // of the banks with candidates
  for (size_t b = 0; b < banks.size(); ++b)
    if (banks[b].candidates > 0) turns.push_back(b);
  if (turns.empty()) return sizes;
  sizes[turns.back()] = 1;
  size_t left = beam - 1;
  std::ranges::stable_sort(turns,
                           [&](size_t a, size_t b) { return banks[a].best > banks[b].best; });
  while (left > 0 && !turns.empty()) {
    std::erase_if(turns, [&](size_t b) { return sizes[b] == banks[b].candidates; });
    for (size_t i = 0; i < turns.size() && left > 0; ++i, --left) ++sizes[turns[i]];
  }
  return sizes;
}

ConstrainedStep::ConstrainedStep(const ConstraintTrie& trie, const SpecialTokens& special,
                                 int64_t beam)
    : trie_(trie), end_(special.end), beam_(static_cast<size_t>(beam)) {
  const Offer first{};
  begin_step({&first, 1});
}

void ConstrainedStep::offer_wanted(const Candidate& candidate) {
  rows_[static_cast<size_t>(candidate.beam)].has_wanted = true;
  add(candidate);
}

void ConstrainedStep::offer(const Candidate& candidate) {
  Row& row = rows_[static_cast<size_t>(candidate.beam)];
  const bool is_best = !std::exchange(row.has_best, true);
  if (candidate.token == end_) return add_end(candidate, is_best);
  if (row.only_wanted) return;
  if (row.has_wanted && std::ranges::binary_search(row.wanted, candidate.token)) return;
  add(candidate);
}

void ConstrainedStep::add(const Candidate& candidate) {
  if (candidate.sum == -std::numeric_limits<double>::infinity()) return;
  const ConstraintTrie::State state =
      trie_.next(rows_[static_cast<size_t>(candidate.beam)].state, candidate.token);
  offers_.push_back({candidate, state, static_cast<size_t>(trie_.tokens_met(state))});
}

void ConstrainedStep::add_end(const Candidate& candidate, bool is_best) {
  Row& row = rows_[static_cast<size_t>(candidate.beam)];
  if (trie_.is_met(row.state)) {
    offers_.push_back({candidate, row.state, static_cast<size_t>(trie_.tokens())});
    return;
  }
  row.only_wanted = is_best;
  unfinished_.push_back({candidate, row.state, static_cast<size_t>(trie_.tokens_met(row.state))});
}

const std::vector<Candidate>& ConstrainedStep::choose() {
  chosen_.clear();
  if (offers_.empty()) {
    choose_unfinished();
    return chosen_;
  }
  std::ranges::sort(offers_, kBetterOffer);
  const std::vector<size_t> places = sizes();
  std::vector<size_t> ranks(places.size()), taken(places.size());
  std::vector<Offer> open;
  for (const Offer& one : offers_) {
    const bool is_among_best = ranks[one.bank]++ < places[one.bank];
    if (one.candidate.token == end_) {
      if (is_among_best) chosen_.push_back(one.candidate);
    } else if (taken[one.bank] < places[one.bank]) {
      ++taken[one.bank];
      open.push_back(one);
    }
  }
  has_finished_ = has_finished_ || !chosen_.empty();
  for (const Offer& one : open) chosen_.push_back(one.candidate);
  begin_step(open);
  return chosen_;
}

// Sizes of the banks; offers_ is sorted.
std::vector<size_t> ConstrainedStep::sizes() const {
  std::vector<Bank> banks(static_cast<size_t>(trie_.tokens()) + 1);
  for (const Offer& one : offers_) {
    Bank& bank = banks[one.bank];
    if (bank.candidates++ == 0) bank.best = one.candidate.sum;
  }
  return bank_sizes(banks, beam_);
}

// Chooses those that meet the most constraints.
void ConstrainedStep::choose_unfinished() {
  size_t most = 0;
  for (const Offer& one : unfinished_) most = std::max(most, one.bank);
  std::ranges::sort(unfinished_, kBetterOffer);
  for (const Offer& one : unfinished_)
    if (one.bank == most && !has_finished_) chosen_.push_back(one.candidate);
  begin_step({});
}

void ConstrainedStep::begin_step(std::span<const Offer> open) {
  rows_.resize(open.size());
  for (size_t k = 0; k < open.size(); ++k) {
    Row& row = rows_[k];
    row.state = open[k].state;
    trie_.wanted(row.state, row.wanted);
    row.has_wanted = row.has_best = row.only_wanted = false;
  }
  offers_.clear();
  unfinished_.clear();
}

}  // namespace dietmt::nmt
