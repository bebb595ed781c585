// Byte pair encoding of a word by the pieces of a sentencepiece model.
#pragma once

#include <cstdint>
#include <limits>
#include <queue>
#include <string_view>
#include <vector>

#include "common/utf8.h"

namespace dietmt::data {

/// The symbols of a word, first its characters, and the merges of neighbours that are possible.
/// `Pieces` has find(text), which returns a pointer to what has a score and an id, or null.
template <typename Pieces>
class MergedWord {
 public:
  MergedWord(std::string_view word, const Pieces& pieces) : pieces_(pieces) {
    for (size_t begin = 0; begin < word.size();) {
      size_t end = begin + 1;
      while (end < word.size() && continues_character(word[end])) ++end;
      const size_t index = symbols_.size();
      symbols_.push_back({word.substr(begin, end - begin), index == 0 ? kNone : index - 1,
                          end == word.size() ? kNone : index + 1});
      begin = end;
    }
    for (size_t i = 0; i + 1 < symbols_.size(); ++i) consider(i, i + 1);
  }

  /// Makes the best merge among those that `leaves_out` does not; returns the symbol that it makes,
  /// or nothing if there is no merge.
  template <typename Chooser>
  std::string_view step(const Chooser& leaves_out) {
    std::vector<Merge> left_out;
    std::string_view made;
    while (made.empty() && !merges_.empty()) {
      const Merge merge = merges_.top();
      merges_.pop();
      if (is_stale(merge)) continue;
      if (leaves_out())
        left_out.push_back(merge);
      else
        made = make(merge);
    }
    for (const Merge& merge : left_out) merges_.push(merge);
    return made;
  }

  /// False if a symbol is no piece.
  bool append_to(std::vector<int32_t>& ids) const {
    for (size_t i = 0; i != kNone; i = symbols_[i].after) {
      const auto* const piece = pieces_.find(symbols_[i].text);
      if (piece == nullptr) return false;
      ids.push_back(piece->id);
    }
    return true;
  }

 private:
  static constexpr size_t kNone = std::numeric_limits<size_t>::max();

  // A part of the word; merged ones are empty.
  struct Symbol {
    std::string_view text;
    size_t before, after;  // neighbours, or kNone
  };

  struct Merge {
    double score;
    size_t left, right;
    size_t bytes;  // of both; another size: a symbol has changed since

    // Whether the other comes first.
    bool operator<(const Merge& other) const {
      return score < other.score || (score == other.score && left > other.left);
    }
  };

  // Neighbours are neighbours in memory, too.
  static std::string_view joined(const Symbol& left, const Symbol& right) {
    return {left.text.data(), left.text.size() + right.text.size()};
  }

  void consider(size_t left, size_t right) {
    if (left == kNone || right == kNone) return;
    const std::string_view text = joined(symbols_[left], symbols_[right]);
    if (const auto* const piece = pieces_.find(text))
      merges_.push({piece->score, left, right, text.size()});
  }

  bool is_stale(const Merge& merge) const {
    const std::string_view left = symbols_[merge.left].text, right = symbols_[merge.right].text;
    return left.empty() || right.empty() || left.size() + right.size() != merge.bytes;
  }

  std::string_view make(const Merge& merge) {
    Symbol& left = symbols_[merge.left];
    Symbol& right = symbols_[merge.right];
    left.text = joined(left, right);
    left.after = right.after;
    if (right.after != kNone) symbols_[right.after].before = merge.left;
    right.text = {};
    consider(left.before, merge.left);
    consider(merge.left, left.after);
    return left.text;
  }

  const Pieces& pieces_;
  std::vector<Symbol> symbols_;
  std::priority_queue<Merge> merges_;
};

}  // namespace dietmt::data
