#include "nmt/search/constraint_trie.h"

#include <algorithm>
#include <bit>

namespace dietmt::nmt {
namespace {

constexpr int32_t kNoNode = -1;
constexpr int32_t kNoToken = -1;  // after the last one

uint64_t bit(size_t constraint) { return uint64_t{1} << constraint; }

// The first of some constraints, as a bit. Of the constraints that one sequence can meet, that is
// the one with the fewest alternatives.
uint64_t first_of(uint64_t constraints) { return constraints & (~constraints + 1); }

}  // namespace

int64_t TermConstraints::token_count() const {
  int64_t count = 0;
  for (const Constraint& term : terms)
    for (const std::vector<int32_t>& sequence : term) count += std::ssize(sequence);
  return count;
}

std::vector<int32_t> TermConstraints::tokens() const {
  std::vector<int32_t> all;
  all.reserve(static_cast<size_t>(token_count()));
  for (const Constraint& term : terms)
    for (const std::vector<int32_t>& sequence : term)
      all.insert(all.end(), sequence.begin(), sequence.end());
  return all;
}

ConstraintTrie::ConstraintTrie(const TermConstraints& constraints)
    : nodes_(1), words_(constraints.words) {
  std::vector<const Constraint*> terms;
  for (const Constraint& term : constraints.terms) terms.push_back(&term);
  std::ranges::stable_sort(terms, {}, [](const Constraint* term) { return term->size(); });
  for (size_t c = 0; c < terms.size(); ++c) {
    int64_t longest = 0;
    for (const std::vector<int32_t>& sequence : *terms[c]) {
      add(sequence, bit(c));
      longest = std::max<int64_t>(longest, std::ssize(sequence));
    }
    lengths_.push_back(longest);
    tokens_ += longest;
    all_ |= bit(c);
  }
}

void ConstraintTrie::add(const std::vector<int32_t>& sequence, uint64_t constraint) {
  int32_t at = 0;
  nodes_[0].below |= constraint;
  for (const int32_t token : sequence) {
    int32_t next = child(at, token);
    if (next == kNoNode) {
      next = static_cast<int32_t>(nodes_.size());
      nodes_.push_back({.token = token, .parent = at, .depth = node(at).depth + 1});
      std::vector<int32_t>& children = nodes_[static_cast<size_t>(at)].children;
      children.insert(place_of(children, token), next);
    }
    at = next;
    nodes_[static_cast<size_t>(at)].below |= constraint;
  }
  nodes_[static_cast<size_t>(at)].ends |= constraint;
}

// Position of the first child whose token is not smaller.
std::vector<int32_t>::const_iterator ConstraintTrie::place_of(const std::vector<int32_t>& children,
                                                              int32_t token) const {
  return std::ranges::lower_bound(children, token, {},
                                  [this](int32_t one) { return node(one).token; });
}

int32_t ConstraintTrie::child(int32_t parent, int32_t token) const {
  const std::vector<int32_t>& children = node(parent).children;
  const auto found = place_of(children, token);
  return found != children.end() && node(*found).token == token ? *found : kNoNode;
}

// The child that belongs to an unmet constraint.
int32_t ConstraintTrie::open_child(int32_t parent, uint64_t met, int32_t token) const {
  const int32_t found = child(parent, token);
  return found != kNoNode && (node(found).below & ~met) != 0 ? found : kNoNode;
}

// A term cannot start with the rest of a word.
int32_t ConstraintTrie::start(uint64_t met, int32_t before, int32_t token) const {
  return joins(before, token) ? kNoNode : open_child(0, met, token);
}

ConstraintTrie::State ConstraintTrie::next(State state, int32_t token) const {
  const int32_t deeper = state.node == 0 ? start(state.met, state.before, token)
                                         : open_child(state.node, state.met, token);
  if (deeper != kNoNode) return {state.met, deeper, state.before};
  std::vector<int32_t> tokens = {token};
  for (int32_t at = state.node; at != 0; at = node(at).parent) tokens.push_back(node(at).token);
  std::ranges::reverse(tokens);
  return scan({state.met, 0, state.before}, tokens);
}

// Reads the tokens after a state in which no term has begun.
ConstraintTrie::State ConstraintTrie::scan(State state, std::span<const int32_t> tokens) const {
  while (!tokens.empty()) {
    uint64_t longest = 0;  // the term that ends last
    size_t length = 1;     // its tokens; without a term, continue at the next token
    int32_t at = start(state.met, state.before, tokens[0]);
    for (size_t i = 1; at != kNoNode; ++i) {
      if (i == tokens.size()) return {state.met, at, state.before};
      const uint64_t ended = node(at).ends & ~state.met;
      if (ended != 0 && !joins(tokens[i - 1], tokens[i])) {
        longest = first_of(ended);
        length = i;
      }
      at = open_child(at, state.met, tokens[i]);
    }
    state = {state.met | longest, 0, tokens[length - 1]};
    tokens = tokens.subspan(length);
  }
  return state;
}

bool ConstraintTrie::is_met(State state) const {
  return state.met == all_ || next(state, kNoToken).met == all_;
}

bool ConstraintTrie::is_inside(State state) const {
  return state.node != 0 && (node(state.node).ends & ~state.met) == 0;
}

bool ConstraintTrie::breaks(State state, int32_t token) const {
  return state.node != 0 && !is_inside(state) && joins(node(state.node).token, token) &&
         open_child(state.node, state.met, token) == kNoNode;
}

int64_t ConstraintTrie::tokens_met(State state) const {
  int64_t sum = 0;
  for (uint64_t left = state.met; left != 0; left &= left - 1)
    sum += lengths_[static_cast<size_t>(std::countr_zero(left))];
  const uint64_t ended = node(state.node).ends & ~state.met;
  return sum + (ended != 0 ? lengths_[static_cast<size_t>(std::countr_zero(ended))]
                           : node(state.node).depth);
}

void ConstraintTrie::wanted(State state, std::vector<int32_t>& tokens) const {
  tokens.clear();
  if (state.node == 0) return add_starts(state.met, state.before, tokens);
  for (const int32_t one : node(state.node).children)
    if ((node(one).below & ~state.met) != 0) tokens.push_back(node(one).token);
  const uint64_t ended = node(state.node).ends & ~state.met;
  if (ended == 0) return;
  add_starts(state.met | first_of(ended), node(state.node).token, tokens);
  std::ranges::sort(tokens);
  tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
}

// Skips terms that need a space before them, although a translation may have one there, as in
// www.mozilla.org.
void ConstraintTrie::add_starts(uint64_t met, int32_t before, std::vector<int32_t>& tokens) const {
  for (const int32_t one : node(0).children) {
    const int32_t token = node(one).token;
    const bool is_glued = words_ && words_->lacks_space(before, token);
    if (!is_glued && start(met, before, token) != kNoNode) tokens.push_back(token);
  }
}

}  // namespace dietmt::nmt
