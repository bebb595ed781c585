// The terms that the translation of a sentence must contain, as a trie of their tokens, and how far
// a hypothesis has come with them (Post and Vilar 2018, "Fast Lexically Constrained Decoding with
// Dynamic Beam Allocation", section 3; the trie follows Hu et al. 2019, "Improved Lexically
// Constrained Decoding for Translation and Monolingual Rewriting").
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace dietmt::nmt {

/// Token sequences, one of which must be in the translation. None is empty.
using Constraint = std::vector<std::vector<int32_t>>;

/// By token: whether its first and its last character are those of a word, with nothing before or
/// after them, and whether the last one is punctuation that needs a space behind it. A word goes on
/// over two tokens of the first kinds, and none begins behind such punctuation without a space.
struct WordPieces {
  std::vector<bool> begins_inside, ends_inside, needs_space;

  bool joins(int32_t before, int32_t after) const {
    return before >= 0 && after >= 0 && ends_inside[static_cast<size_t>(before)] &&
           begins_inside[static_cast<size_t>(after)];
  }

  bool lacks_space(int32_t before, int32_t after) const {
    return before >= 0 && after >= 0 && needs_space[static_cast<size_t>(before)] &&
           begins_inside[static_cast<size_t>(after)];
  }
};

/// The constraints of one sentence. Equal ones must be met as often as they are listed.
struct TermConstraints {
  // Of a sentence: terms, and tokens of all their sequences. Each of these costs time in every
  // step.
  static constexpr size_t kMost = 64;
  static constexpr size_t kMostTokens = 1024;

  std::vector<Constraint> terms = {};
  /// Terms are met only as whole words of these pieces. Null: every token is a word.
  std::shared_ptr<const WordPieces> words = nullptr;
};

class ConstraintTrie {
 public:
  /// Of a hypothesis. The term that it has begun may be complete, but counts only with the next
  /// token, which may continue its last word, or a longer term.
  struct State {
    uint64_t met = 0;     // one bit for each constraint
    int32_t node = 0;     // 0: no term has begun
    int32_t before = -1;  // the token before that term, or the last one; -1: none
  };

  explicit ConstraintTrie(const TermConstraints& constraints);

  /// The state after one more token. Terms do not overlap: from the left, each is the longest
  /// possible. A token that does not go on with the term that has begun takes it back, unless it is
  /// complete.
  State next(State state, int32_t token) const;

  /// Whether a translation that ends here meets all constraints.
  bool is_met(State state) const;

  /// The tokens that a hypothesis has of its constraints, and those of all, if each is met by its
  /// longest sequence.
  int64_t tokens_met(State state) const;
  int64_t tokens() const { return tokens_; }

  /// The tokens that go on with the term that has begun or, if there is none or it is complete,
  /// begin an unmet one; ascending, each once.
  void wanted(State state, std::vector<int32_t>& tokens) const;

 private:
  struct Node {
    int32_t token = -1;
    int32_t parent = 0;
    int64_t depth = 0;
    uint64_t below = 0;                  // constraints with a sequence that ends here or later
    uint64_t ends = 0;                   // constraints with a sequence that ends here
    std::vector<int32_t> children = {};  // by token, ascending
  };

  const Node& node(int32_t index) const { return nodes_[static_cast<size_t>(index)]; }
  void add(const std::vector<int32_t>& sequence, uint64_t constraint);
  std::vector<int32_t>::const_iterator place_of(const std::vector<int32_t>& children,
                                                int32_t token) const;
  int32_t child(int32_t parent, int32_t token) const;
  int32_t open_child(int32_t parent, uint64_t met, int32_t token) const;
  int32_t start(uint64_t met, int32_t before, int32_t token) const;
  State scan(State state, std::span<const int32_t> tokens) const;
  bool joins(int32_t before, int32_t after) const { return words_ && words_->joins(before, after); }
  void add_starts(uint64_t met, int32_t before, std::vector<int32_t>& tokens) const;

  std::vector<Node> nodes_;
  std::vector<int64_t> lengths_;  // of the longest sequence of each constraint
  uint64_t all_ = 0;
  int64_t tokens_ = 0;
  std::shared_ptr<const WordPieces> words_;
};

}  // namespace dietmt::nmt
