#include "data/text/subword_sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <string>
#include <string_view>
#include <unordered_map>

#include "common/error.h"
#include "common/random.h"
#include "data/text/model_pieces.h"
#include "data/text/source_tag.h"

namespace dietmt::data {
namespace {

/// The pieces of a tokenizer that text is spelled with.
class Spelling {
 public:
  struct Piece {
    int32_t id = 0;
    double score = 0;
  };

  Spelling(const Tokenizer& tokenizer, const ModelPieces& model)
      : texts_(static_cast<size_t>(tokenizer.vocabulary_size())) {
    std::unordered_map<std::string_view, int32_t> ids;
    for (int32_t id = 0; id < tokenizer.vocabulary_size(); ++id) {
      texts_[static_cast<size_t>(id)] = tokenizer.piece(id);
      ids.emplace(texts_[static_cast<size_t>(id)], id);
    }
    std::vector<bool> spells(texts_.size());
    for (const ModelPiece& piece : model.pieces) {
      const auto found = ids.find(piece.text);
      if (!piece.normal || piece.text.empty() || found == ids.end()) continue;
      spells[static_cast<size_t>(found->second)] = true;
      pieces_.emplace(found->first, Piece{found->second, piece.score});
    }
    for (size_t id = 0; id < texts_.size(); ++id)
      if (!spells[id]) texts_[id].clear();
  }
  Spelling(const Spelling&) = delete;
  Spelling& operator=(const Spelling&) = delete;

  /// Empty for special pieces and others that stand for no text of their own.
  const std::string& text(int32_t id) const { return texts_[static_cast<size_t>(id)]; }

  const Piece* find(std::string_view text) const {
    const auto found = pieces_.find(text);
    return found == pieces_.end() ? nullptr : &found->second;
  }

  const std::unordered_map<std::string_view, Piece>& pieces() const { return pieces_; }

 private:
  std::vector<std::string> texts_;                      // by id
  std::unordered_map<std::string_view, Piece> pieces_;  // by their text in texts_
};

/// Cuts sentences into runs of text and segments each of them.
class RunSampler : public SubwordSampler {
 public:
  RunSampler(const Tokenizer& tokenizer, const ModelPieces& model) : spelling_(tokenizer, model) {}

  std::vector<int32_t> sample(std::span<const int32_t> ids, uint64_t key) const override {
    Random random(key);
    std::vector<int32_t> sampled;
    std::string run;
    for (size_t begin = 0; begin < ids.size();) {
      size_t end = begin;
      run.clear();
      while (end < ids.size() && !spelling_.text(ids[end]).empty())
        run += spelling_.text(ids[end++]);
      if (end == begin) {
        sampled.push_back(ids[end++]);
      } else if (const size_t before = sampled.size(); !segment(run, random, sampled)) {
        sampled.resize(before);
        sampled.insert(sampled.end(), ids.begin() + static_cast<std::ptrdiff_t>(begin),
                       ids.begin() + static_cast<std::ptrdiff_t>(end));
      }
      begin = end;
    }
    return sampled;
  }

 protected:
  const Spelling& spelling() const { return spelling_; }

 private:
  /// Appends pieces that spell `run`; false if there are none for some of its characters.
  virtual bool segment(std::string_view run, Random& random, std::vector<int32_t>& ids) const = 0;

  Spelling spelling_;
};

/// Finds all pieces that a text begins with.
class Prefixes {
 public:
  explicit Prefixes(const Spelling& spelling) {
    for (const auto& [text, piece] : spelling.pieces()) {
      uint64_t node = 0;
      for (const char byte : text)
        node = children_.try_emplace(edge(node, byte), ++nodes_).first->second;
      pieces_.emplace(node, piece);
    }
  }

  /// Calls visit(length in bytes, piece), the shortest first.
  template <typename Visit>
  void visit(std::string_view text, const Visit& visit) const {
    uint64_t node = 0;
    for (size_t length = 1; length <= text.size(); ++length) {
      const auto child = children_.find(edge(node, text[length - 1]));
      if (child == children_.end()) return;
      node = child->second;
      if (const auto piece = pieces_.find(node); piece != pieces_.end())
        visit(length, piece->second);
    }
  }

 private:
  static uint64_t edge(uint64_t node, char byte) { return node << 8 | static_cast<uint8_t>(byte); }

  uint64_t nodes_ = 0;
  std::unordered_map<uint64_t, uint64_t> children_;       // by node and next byte
  std::unordered_map<uint64_t, Spelling::Piece> pieces_;  // by the node they end at
};

class UnigramSampler : public RunSampler {
 public:
  UnigramSampler(const Tokenizer& tokenizer, const ModelPieces& model, double alpha)
      : RunSampler(tokenizer, model), prefixes_(spelling()), alpha_(alpha) {}

 private:
  static constexpr double kImpossible = -std::numeric_limits<double>::infinity();

  // A piece of the lattice.
  struct Arc {
    size_t begin;
    int32_t id;
    double weight;    // alpha log p
    int64_t earlier;  // another arc with the same end; -1: none
  };

  static double log_sum(double a, double b) {
    if (a == kImpossible) return b;
    return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
  }

  bool segment(std::string_view run, Random& random, std::vector<int32_t>& ids) const override {
    // forward[i]: log of the summed weight of all segmentations of the first i bytes.
    std::vector<double> forward(run.size() + 1, kImpossible);
    std::vector<int64_t> last(run.size() + 1, -1);  // arc that ends there
    std::vector<Arc> arcs;
    forward[0] = 0.0;
    for (size_t begin = 0; begin < run.size(); ++begin) {
      if (forward[begin] == kImpossible) continue;
      prefixes_.visit(run.substr(begin), [&](size_t length, const Spelling::Piece& piece) {
        const size_t end = begin + length;
        const double weight = alpha_ * piece.score;
        arcs.push_back({begin, piece.id, weight, last[end]});
        last[end] = std::ssize(arcs) - 1;
        forward[end] = log_sum(forward[end], forward[begin] + weight);
      });
    }
    if (forward.back() == kImpossible) return false;

    const auto first = static_cast<std::ptrdiff_t>(ids.size());
    for (size_t end = run.size(); end > 0;) {
      const Arc& arc = arcs[static_cast<size_t>(drawn(arcs, last[end], forward, end, random))];
      ids.push_back(arc.id);
      end = arc.begin;
    }
    std::reverse(ids.begin() + first, ids.end());
    return true;
  }

  // One of the arcs to `end`, in proportion to the weight of the segmentations through it.
  static int64_t drawn(const std::vector<Arc>& arcs, int64_t arc,
                       const std::vector<double>& forward, size_t end, Random& random) {
    double left = random.uniform();
    while (true) {
      const Arc& present = arcs[static_cast<size_t>(arc)];
      left -= std::exp(forward[present.begin] + present.weight - forward[end]);
      if (left < 0.0 || present.earlier < 0) return arc;
      arc = present.earlier;
    }
  }

  Prefixes prefixes_;
  double alpha_;
};

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

std::string kind_of(SubwordModel model) {
  if (model == SubwordModel::kUnigram) return "a unigram model: use --subword-sampling";
  if (model == SubwordModel::kBpe) return "a BPE model: use --bpe-dropout";
  return "neither a unigram nor a BPE model";
}

ModelPieces require_model(const Tokenizer& tokenizer, SubwordModel wanted,
                          const std::string& option) {
  ModelPieces model = model_pieces(tokenizer.sentencepiece());
  if (model.model != wanted) {
    throw ConfigError(option + " cannot sample from " + tokenizer.file() + ", which is " +
                      kind_of(model.model));
  }
  return model;
}

}  // namespace

std::shared_ptr<const SubwordSampler> unigram_sampler(const Tokenizer& tokenizer, double alpha) {
  const ModelPieces model = require_model(tokenizer, SubwordModel::kUnigram, "--subword-sampling");
  return std::make_shared<UnigramSampler>(tokenizer, model, alpha);
}

std::shared_ptr<const SubwordSampler> bpe_dropout(const Tokenizer& tokenizer, double p) {
  const ModelPieces model = require_model(tokenizer, SubwordModel::kBpe, "--bpe-dropout");
  return std::make_shared<BpeDropout>(tokenizer, model, p);
}

}  // namespace dietmt::data
