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

/// Token sequences; the translation must contain one of them. None is empty.
using Constraint = std::vector<std::vector<int32_t>>;

/// Per token: whether its first and last characters are word characters with nothing before or
/// after them, and whether the last is punctuation that needs a space after it. A word continues
/// across two tokens of the first kinds, and none begins directly after such punctuation.
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
  // Limits per sentence on terms and on the tokens of all their sequences, since each token costs
  // time in every step.
  static constexpr size_t kMost = 64;
  static constexpr size_t kMostTokens = 1024;

  std::vector<Constraint> terms = {};
  /// Terms are met only as whole words of these pieces. Null: every token is a word.
  std::shared_ptr<const WordPieces> words = nullptr;

  /// Those of all sequences, and how many they are.
  std::vector<int32_t> tokens() const;
  int64_t token_count() const;
};

class ConstraintTrie {
 public:
  /// State of a hypothesis. The term that it has begun may be complete but counts only with the
  /// next token, which may continue its last word or a longer term.
  struct State {
    uint64_t met = 0;     // one bit per constraint
    int32_t node = 0;     // 0: no term has begun
    int32_t before = -1;  // the token before that term, or the last one; -1: none
  };

  explicit ConstraintTrie(const TermConstraints& constraints);

  /// The state after one more token. Terms do not overlap: from the left, each is the longest
  /// possible. A token that does not continue the current term discards it, unless it is complete.
  State next(State state, int32_t token) const;

  /// Whether a translation that ends here meets all constraints.
  bool is_met(State state) const;

  /// Whether a term has begun and is not complete.
  bool is_inside(State state) const;
  /// Whether `token` would continue the last word of a complete term, which then does not count.
  bool breaks(State state, int32_t token) const;

  /// How many constraint tokens a hypothesis has, and how many there are in all if each constraint
  /// is met by its longest sequence.
  int64_t tokens_met(State state) const;
  int64_t tokens() const { return tokens_; }

  /// Tokens that continue the current term or, if there is none or it is complete, begin an unmet
  /// one; ascending, each once.
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
  std::vector<int64_t> lengths_;  // of each constraint's longest sequence
  uint64_t all_ = 0;
  int64_t tokens_ = 0;
  std::shared_ptr<const WordPieces> words_;
};

}  // namespace dietmt::nmt
