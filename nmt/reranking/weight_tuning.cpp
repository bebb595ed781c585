#include "nmt/reranking/weight_tuning.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "common/random.h"
#include "nmt/reranking/feature_weights.h"

namespace dietmt::nmt {
namespace {

using Vector = std::vector<double>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLeastGain = 1e-9;

// From `from` on, up to the next corner, translation `best` of a sentence has the highest score.
struct Corner {
  double from;
  size_t sentence;
  size_t best;
};

// A translation's score along the line: height + x * slope.
struct ScoreLine {
  double height;
  double slope;
  size_t translation;
};

// Those that are the best somewhere, from left to right; the first corner is at minus infinity.
std::vector<Corner> upper_envelope(std::vector<ScoreLine> lines, size_t sentence) {
  std::ranges::stable_sort(lines, [](const ScoreLine& a, const ScoreLine& b) {
    return a.slope != b.slope ? a.slope < b.slope : a.height > b.height;
  });
  std::vector<Corner> corners;
  std::vector<ScoreLine> hull;
  for (const ScoreLine& line : lines) {
    if (!hull.empty() && hull.back().slope == line.slope) continue;  // lower than the last one
    double from = -kInfinity;
    while (!hull.empty()) {
      from = (hull.back().height - line.height) / (line.slope - hull.back().slope);
      if (from > corners.back().from) break;
      hull.pop_back();
      corners.pop_back();
      from = -kInfinity;
    }
    hull.push_back(line);
    corners.push_back({from, sentence, line.translation});
  }
  return corners;
}

void add(Vector& sum, const Vector& statistics, double factor) {
  sum.resize(statistics.size(), 0.0);
  for (size_t i = 0; i < sum.size(); ++i) sum[i] += factor * statistics[i];
}

// A point between two corners.
double inside(double from, double to) {
  constexpr double kBeyond = 1.0;  // the last corner
  if (from == -kInfinity) return to == kInfinity ? 0.0 : to - kBeyond;
  return to == kInfinity ? from + kBeyond : from + (to - from) / 2.0;
}

struct Step {
  double length = 0.0;
  double score = -kInfinity;
};

// The best point of the line from `weights` in this direction.
Step search_line(std::span<const TuningSentence> sentences, const Vector& weights,
                 const Vector& direction, const metrics::ScoreRule& rule) {
  std::vector<Corner> corners;
  Vector sum;  // of the best translations between two corners
  std::vector<size_t> best(sentences.size());
  for (size_t s = 0; s < sentences.size(); ++s) {
    std::vector<ScoreLine> lines;
    for (const Vector& features : sentences[s].features)
      lines.push_back(
          {weighted_sum(weights, features), weighted_sum(direction, features), lines.size()});
    const std::vector<Corner> envelope = upper_envelope(std::move(lines), s);
    best[s] = envelope.front().best;
    add(sum, sentences[s].statistics[best[s]], 1.0);
    corners.insert(corners.end(), envelope.begin() + 1, envelope.end());
  }
  std::ranges::stable_sort(corners, {}, &Corner::from);
  Step found;
  double from = -kInfinity;
  for (size_t i = 0; i <= corners.size(); ++i) {
    const double to = i < corners.size() ? corners[i].from : kInfinity;
    constexpr double kNarrowest = 1e-9;
    if (to - from > kNarrowest) {
      const double score = rule.score(sum).score;
      if (score > found.score) found = {inside(from, to), score};
    }
    if (i == corners.size()) break;
    const auto& [at, s, next] = corners[i];
    add(sum, sentences[s].statistics[best[s]], -1.0);
    add(sum, sentences[s].statistics[next], 1.0);
    best[s] = next;
    from = at;
  }
  return found;
}

Vector random_vector(size_t size, Random& random) {
  Vector made;
  for (size_t i = 0; i < size; ++i) made.push_back(2.0 * random.uniform() - 1.0);
  return made;
}

std::vector<Vector> directions(size_t size, Random& random) {
  std::vector<Vector> all;
  for (size_t axis = 0; axis < size; ++axis) {
    all.emplace_back(size, 0.0);
    all.back()[axis] = 1.0;
  }
  for (size_t i = 0; i < size; ++i) all.push_back(random_vector(size, random));
  return all;
}

TunedWeights climb(std::span<const TuningSentence> sentences, Vector weights,
                   const metrics::ScoreRule& rule, Random& random) {
  double score = corpus_score(sentences, weights, rule);
  while (true) {
    Step best;
    Vector along;
    for (Vector& direction : directions(weights.size(), random)) {
      const Step step = search_line(sentences, weights, direction, rule);
      if (step.score <= best.score) continue;
      best = step;
      along = std::move(direction);
    }
    if (!(best.score > score + kLeastGain)) return {std::move(weights), score};
    Vector moved = weights;
    for (size_t i = 0; i < moved.size(); ++i) moved[i] += best.length * along[i];
    const double reached = corpus_score(sentences, moved, rule);
    if (!(reached > score + kLeastGain)) return {std::move(weights), score};  // by rounding
    weights = std::move(moved);
    score = reached;
  }
}

// Sets the L1 norm to 1, which changes no ranking.
void normalize(Vector& weights) {
  double sum = 0.0;
  for (const double one : weights) sum += std::abs(one);
  if (sum == 0.0) return;
  for (double& one : weights) one /= sum;
}

}  // namespace

double corpus_score(std::span<const TuningSentence> sentences, std::span<const double> weights,
                    const metrics::ScoreRule& rule) {
  Vector sum;
  for (const TuningSentence& one : sentences)
    add(sum, one.statistics[ranking(weights, one.features).front()], 1.0);
  return rule.score(sum).score;
}

TunedWeights tune_weights(std::span<const TuningSentence> sentences, const Vector& start,
                          const metrics::ScoreRule& rule, const TuningOptions& options) {
  std::optional<TunedWeights> best;
  for (int64_t run = 0; run <= options.restarts; ++run) {
    Random random(random_key(options.seed, static_cast<uint64_t>(run)));
    Vector weights = run == 0 ? start : random_vector(start.size(), random);
    TunedWeights tuned = climb(sentences, std::move(weights), rule, random);
    if (!best || tuned.score > best->score + kLeastGain) best = std::move(tuned);
  }
  normalize(best->weights);
  return *best;
}

}  // namespace dietmt::nmt
