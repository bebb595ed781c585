#include "data/shortlist/aligner.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "data/corpus/corpus_encoding.h"
#include "data/shortlist/diagonal.h"

namespace dietmt::data {
namespace {

// Consecutive pairs, the unit of work of a thread. Blocks depend only on the corpus, and so do the
// sums of doubles: within a block, then over blocks in their order.
struct Block {
  int64_t begin = 0;
  int64_t end = 0;
};

class BlockReader {
 public:
  explicit BlockReader(const SentencePairs& pairs) : pairs_(pairs) {}

  std::optional<Block> next() {
    constexpr int64_t kCells = 1 << 18;
    if (at_ == pairs_.size) return std::nullopt;
    Block block{at_, at_};
    for (int64_t cells = 0; at_ < pairs_.size && cells < kCells; block.end = ++at_) {
      const TokenPair pair = pairs_.at(at_);
      cells += std::ssize(pair.source) * std::ssize(pair.target);
    }
    return block;
  }

 private:
  const SentencePairs& pairs_;
  int64_t at_ = 0;
};

void add_atomically(FixedCount& sum, double value) {
  std::atomic_ref<FixedCount>(sum).fetch_add(to_fixed(value), std::memory_order_relaxed);
}

class Aligner {
 public:
  Aligner(const SentencePairs& pairs, const AlignerOptions& options)
      : pairs_(pairs), options_(options), tension_(options.tension) {}

  // The first E-step, under uniform p, and its M-step. The prior is the posterior, so the tension
  // is already at its maximum.
  TranslationTable first_iteration(AlignerIteration& result);

  // E-step and M-step on `table`.
  AlignerIteration iteration(TranslationTable& table);

 private:
  struct BlockSums {
    double log_likelihood = 0.0;
    double distance = 0.0;
  };

  // The terms of a target token's probability.
  struct TokenScores {
    std::vector<double> positions;  // of the source: prior times p(token | word there)
    std::vector<int64_t> cells;     // of those words with the token
    double null = 0.0;
    int64_t null_cell = 0;
    double sum = 0.0;
  };

  std::vector<CellCount> count_cells(Block block) const;
  void score(const TranslationTable& table, const TokenPair& pair, int64_t i,
             TokenScores& scores) const;
  BlockSums expect(const TranslationTable& table, Block block);
  void index_lengths();

  const SentencePairs& pairs_;
  const AlignerOptions& options_;
  double tension_;
  std::vector<FixedCount> counts_;  // of the cells of the table
  TensionStatistics statistics_;
};

std::vector<CellCount> Aligner::count_cells(Block block) const {
  const auto null_row = static_cast<int32_t>(pairs_.source_vocabulary);
  std::vector<CellCount> cells;
  std::vector<double> weights;
  for (int64_t at = block.begin; at < block.end; ++at) {
    const auto [source, target] = pairs_.at(at);
    weights.resize(source.size());
    const int64_t m = std::ssize(target);
    for (int64_t i = 1; i <= m; ++i) {
      const int32_t word = target[static_cast<size_t>(i - 1)];
      const double z = diagonal_weights(i, m, tension_, weights);
      cells.push_back({CellCount::key_of(null_row, word), to_fixed(options_.null_probability)});
      for (size_t j = 0; j < source.size(); ++j) {
        const double prior = (1 - options_.null_probability) * weights[j] / z;
        cells.push_back({CellCount::key_of(source[j], word), to_fixed(prior)});
      }
    }
  }
  sort_and_add(cells);
  return cells;
}

TranslationTable Aligner::first_iteration(AlignerIteration& result) {
  const auto null_row = static_cast<int32_t>(pairs_.source_vocabulary);
  CellCounter counter(options_.largest_table, null_row);
  BlockReader reader(pairs_);
  work_in_order(
      options_.threads, [&] { return reader.next(); },
      [&](const Block& block) { return count_cells(block); },
      [&](std::vector<CellCount> cells) { counter.add(std::move(cells)); });
  const std::vector<CellCount> cells = counter.finish();
  counts_.reserve(cells.size());
  for (const CellCount& cell : cells) counts_.push_back(cell.count);
  TranslationTable table(cells, pairs_.source_vocabulary);
  table.set_probabilities(counts_, options_.prior);
  index_lengths();

  int64_t tokens = 0;
  for (int64_t pair = 0; pair < pairs_.size; ++pair) tokens += std::ssize(pairs_.at(pair).target);
  result.log_likelihood =
      -static_cast<double>(tokens) * std::log(static_cast<double>(pairs_.target_vocabulary));
  result.tension = tension_;
  result.cells = table.cells();
  result.dropped = counter.dropped();
  return table;
}

void Aligner::index_lengths() {
  for (int64_t at = 0; at < pairs_.size; ++at) {
    const auto [source, target] = pairs_.at(at);
    const auto [place, is_new] = statistics_.places.try_emplace(
        {std::ssize(target), std::ssize(source)}, statistics_.masses.size());
    if (is_new) statistics_.masses.resize(statistics_.masses.size() + target.size());
  }
}

void Aligner::score(const TranslationTable& table, const TokenPair& pair, int64_t i,
                    TokenScores& scores) const {
  const int32_t word = pair.target[static_cast<size_t>(i - 1)];
  scores.positions.resize(pair.source.size());
  scores.cells.resize(pair.source.size());
  const double z = diagonal_weights(i, std::ssize(pair.target), tension_, scores.positions);
  scores.null_cell = table.find(table.null_row(), word);
  scores.null = options_.null_probability * table.probability(scores.null_cell);
  scores.sum = scores.null;
  for (size_t j = 0; j < pair.source.size(); ++j) {
    scores.cells[j] = table.find(pair.source[j], word);
    scores.positions[j] *= (1 - options_.null_probability) / z * table.probability(scores.cells[j]);
    scores.sum += scores.positions[j];
  }
}

Aligner::BlockSums Aligner::expect(const TranslationTable& table, Block block) {
  BlockSums sums;
  TokenScores scores;
  for (int64_t at = block.begin; at < block.end; ++at) {
    const TokenPair pair = pairs_.at(at);
    const int64_t m = std::ssize(pair.target), n = std::ssize(pair.source);
    FixedCount* masses = statistics_.masses.data() + statistics_.places.at({m, n});
    for (int64_t i = 1; i <= m; ++i) {
      score(table, pair, i, scores);
      sums.log_likelihood += std::log(scores.sum);
      const double null_posterior = scores.null / scores.sum;
      add_atomically(counts_[static_cast<size_t>(scores.null_cell)], null_posterior);
      add_atomically(masses[i - 1], 1 - null_posterior);
      for (int64_t j = 1; j <= n; ++j) {
        const double posterior = scores.positions[static_cast<size_t>(j - 1)] / scores.sum;
        if (posterior == 0) continue;
        const int64_t cell = scores.cells[static_cast<size_t>(j - 1)];
        add_atomically(counts_[static_cast<size_t>(cell)], posterior);
        sums.distance += posterior * distance_from_diagonal(i, m, j, n);
      }
    }
  }
  return sums;
}

AlignerIteration Aligner::iteration(TranslationTable& table) {
  std::fill(counts_.begin(), counts_.end(), 0);
  std::fill(statistics_.masses.begin(), statistics_.masses.end(), 0);
  statistics_.distance = 0;
  AlignerIteration result;
  BlockReader reader(pairs_);
  work_in_order(
      options_.threads, [&] { return reader.next(); },
      [&](const Block& block) { return expect(table, block); },
      [&](const BlockSums& sums) {
        result.log_likelihood += sums.log_likelihood;
        statistics_.distance += sums.distance;
      });
  table.set_probabilities(counts_, options_.prior);
  tension_ = best_tension(statistics_, tension_);
  result.tension = tension_;
  result.cells = table.cells();
  return result;
}

}  // namespace

TranslationTable align(const SentencePairs& pairs, const AlignerOptions& options,
                       const std::function<void(const AlignerIteration&)>& report) {
  Aligner aligner(pairs, options);
  AlignerIteration result{.number = 1};
  TranslationTable table = aligner.first_iteration(result);
  report(result);
  while (result.number < options.iterations) {
    const int64_t number = result.number + 1;
    result = aligner.iteration(table);
    result.number = number;
    report(result);
  }
  return table;
}

WordAligner train_aligner(const SentencePairs& pairs, const AlignerOptions& options,
                          const std::function<void(const AlignerIteration&)>& report) {
  double tension = options.tension;
  TranslationTable table = align(pairs, options, [&](const AlignerIteration& iteration) {
    tension = iteration.tension;
    report(iteration);
  });
  return {std::move(table), options.null_probability, tension};
}

std::vector<int32_t> WordAligner::links(const TokenPair& pair) const {
  std::vector<int32_t> found;
  std::vector<double> weights(pair.source.size());
  const int64_t m = std::ssize(pair.target);
  for (int64_t i = 1; i <= m; ++i) {
    const int32_t word = pair.target[static_cast<size_t>(i - 1)];
    const double z = diagonal_weights(i, m, tension, weights);
    double best = null_probability * table.probability(table.find(table.null_row(), word));
    int32_t link = -1;
    for (size_t j = 0; j < pair.source.size(); ++j) {
      const double score = (1 - null_probability) * weights[j] / z *
                           table.probability(table.find(pair.source[j], word));
      if (score <= best) continue;
      best = score;
      link = static_cast<int32_t>(j);
    }
    found.push_back(link);
  }
  return found;
}

double WordAligner::entropy(const TokenPair& pair) const {
  double sum = 0.0;
  std::vector<double> weights(pair.source.size());
  const int64_t m = std::ssize(pair.target);
  for (int64_t i = 1; i <= m; ++i) {
    const int32_t word = pair.target[static_cast<size_t>(i - 1)];
    if (word < 0) {
      sum += kUnknownEntropy;
      continue;
    }
    const double z = diagonal_weights(i, m, tension, weights);
    double p = null_probability * table.probability(table.find(table.null_row(), word));
    for (size_t j = 0; j < pair.source.size(); ++j)
      if (pair.source[j] >= 0)
        p += (1 - null_probability) * weights[j] / z *
             table.probability(table.find(pair.source[j], word));
    sum += std::min(-std::log(p), kMostEntropy);
  }
  return m == 0 ? 0.0 : sum / static_cast<double>(m);
}

}  // namespace dietmt::data
