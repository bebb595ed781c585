// Subword regularization (Kudo 2018).
#include <algorithm>
#include <cmath>
#include <limits>

#include "data/text/run_sampler.h"

namespace dietmt::data {
namespace {

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

}  // namespace

std::shared_ptr<const SubwordSampler> unigram_sampler(const Tokenizer& tokenizer, double alpha) {
  const ModelPieces model = require_model(tokenizer, SubwordModel::kUnigram, "--subword-sampling");
  return std::make_shared<UnigramSampler>(tokenizer, model, alpha);
}

}  // namespace dietmt::data
