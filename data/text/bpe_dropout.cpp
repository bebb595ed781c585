// BPE-dropout (Provilkov et al. 2020).
#include <limits>
#include <queue>

#include "data/text/run_sampler.h"
#include "data/text/source_tag.h"

namespace dietmt::data {
namespace {

/// The symbols of a word, first its characters, and the merges of neighbours that are possible.
class MergedWord {
 public:
  MergedWord(std::string_view word, const Spelling& spelling) : spelling_(spelling) {
    constexpr auto continues = [](char byte) {
      return (static_cast<uint8_t>(byte) & 0xc0) == 0x80;
    };
    for (size_t begin = 0; begin < word.size();) {
      size_t end = begin + 1;
      while (end < word.size() && continues(word[end])) ++end;
      const size_t index = symbols_.size();
      symbols_.push_back({word.substr(begin, end - begin), index == 0 ? kNone : index - 1,
                          end == word.size() ? kNone : index + 1});
      begin = end;
    }
    for (size_t i = 0; i + 1 < symbols_.size(); ++i) consider(i, i + 1);
  }

  /// Makes the best merge among those that are not left out; false if there is none.
  bool step(double p, Random& random) {
    std::vector<Merge> left_out;
    bool merged = false;
    while (!merged && !merges_.empty()) {
      const Merge merge = merges_.top();
      merges_.pop();
      if (is_stale(merge)) continue;
      merged = random.uniform() >= p;
      if (merged)
        make(merge);
      else
        left_out.push_back(merge);
    }
    for (const Merge& merge : left_out) merges_.push(merge);
    return merged;
  }

  /// False if a symbol is no piece.
  bool append_to(std::vector<int32_t>& ids) const {
    for (size_t i = 0; i != kNone; i = symbols_[i].after) {
      const Spelling::Piece* piece = spelling_.find(symbols_[i].text);
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
    if (const Spelling::Piece* piece = spelling_.find(text))
      merges_.push({piece->score, left, right, text.size()});
  }

  bool is_stale(const Merge& merge) const {
    const std::string_view left = symbols_[merge.left].text, right = symbols_[merge.right].text;
    return left.empty() || right.empty() || left.size() + right.size() != merge.bytes;
  }

  void make(const Merge& merge) {
    Symbol& left = symbols_[merge.left];
    Symbol& right = symbols_[merge.right];
    left.text = joined(left, right);
    left.after = right.after;
    if (right.after != kNone) symbols_[right.after].before = merge.left;
    right.text = {};
    consider(left.before, merge.left);
    consider(merge.left, left.after);
  }

  const Spelling& spelling_;
  std::vector<Symbol> symbols_;
  std::priority_queue<Merge> merges_;
};

class BpeDropout : public RunSampler {
 public:
  BpeDropout(const Tokenizer& tokenizer, const ModelPieces& model, double p)
      : RunSampler(tokenizer, model), p_(p) {}

 private:
  // Words begin with U+2581.
  bool segment(std::string_view run, Random& random, std::vector<int32_t>& ids) const override {
    while (!run.empty()) {
      const std::string_view text = run.substr(0, run.find(kWordBegin, 1));
      run.remove_prefix(text.size());
      MergedWord word(text, spelling());
      while (word.step(p_, random)) {
      }
      if (!word.append_to(ids)) return false;
    }
    return true;
  }

  double p_;
};

}  // namespace

std::shared_ptr<const SubwordSampler> bpe_dropout(const Tokenizer& tokenizer, double p) {
  const ModelPieces model = require_model(tokenizer, SubwordModel::kBpe, "--bpe-dropout");
  return std::make_shared<BpeDropout>(tokenizer, model, p);
}

}  // namespace dietmt::data
