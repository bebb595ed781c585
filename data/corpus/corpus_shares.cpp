#include "data/corpus/corpus_shares.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/random.h"

namespace dietmt::data {
namespace {

// Keeps the keys of the corpora's orders apart from those of the epochs.
constexpr uint64_t kCorpusStream = 1ULL << 63;

}  // namespace

std::vector<std::string> weight_problems(std::span<const double> weights, int64_t corpora) {
  if (weights.empty()) return {};
  if (std::ssize(weights) != corpora) {
    return {std::to_string(weights.size()) + " weights for " + std::to_string(corpora) +
            " corpora: give one for each"};
  }
  std::vector<std::string> problems;
  for (size_t c = 0; c < weights.size(); ++c) {
    if (!std::isfinite(weights[c]) || weights[c] < 0.0) {
      problems.push_back("the weight of corpus " + std::to_string(c + 1) +
                         " must be a number that is not negative");
    }
  }
  if (std::ranges::all_of(weights, [](double weight) { return weight == 0.0; }))
    problems.emplace_back("one of the weights must be positive");
  return problems;
}

std::vector<double> temperature_weights(std::span<const int64_t> sizes, double temperature) {
  // Relative to the largest size, since powers of sizes may overflow.
  const auto largest = static_cast<double>(std::max<int64_t>(1, std::ranges::max(sizes)));
  std::vector<double> weights;
  for (const int64_t size : sizes)
    weights.push_back(std::pow(static_cast<double>(size) / largest, 1.0 / temperature));
  return weights;
}

std::vector<int64_t> shared_out(int64_t draws, std::span<const double> weights) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<int64_t> shares;
  std::vector<double> remainders;
  int64_t left = draws;
  for (const double weight : weights) {
    const double exact = static_cast<double>(draws) * (weight / sum);
    shares.push_back(static_cast<int64_t>(exact));
    remainders.push_back(exact - std::floor(exact));
    left -= shares.back();
  }
  std::vector<size_t> order(weights.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return remainders[a] > remainders[b]; });
  for (size_t i = 0; left > 0; ++i, --left) ++shares[order[i % order.size()]];
  return shares;
}

void draw_items(int64_t size, uint64_t key, int64_t first, std::span<uint32_t> draws) {
  if (draws.empty()) return;
  std::vector<uint32_t> order(static_cast<size_t>(size));
  int64_t pass = first / size;
  for (auto begin = static_cast<size_t>(first % size); !draws.empty(); begin = 0, ++pass) {
    std::iota(order.begin(), order.end(), 0U);
    Random(random_key(key, static_cast<uint64_t>(pass))).shuffle(order);
    const size_t count = std::min(draws.size(), order.size() - begin);
    std::copy_n(order.begin() + static_cast<ptrdiff_t>(begin), count, draws.begin());
    draws = draws.subspan(count);
  }
}

std::vector<uint32_t> drawn_items(std::span<const int64_t> sizes, std::span<const double> weights,
                                  std::span<const int64_t> drawn, uint64_t seed) {
  const int64_t all = std::reduce(sizes.begin(), sizes.end());
  const std::vector<int64_t> shares = shared_out(all, weights);
  std::vector<uint32_t> items(static_cast<size_t>(all));
  std::span<uint32_t> left = items;
  int64_t first_item = 0;
  for (size_t c = 0; c < sizes.size(); ++c) {
    const auto draws = left.first(static_cast<size_t>(shares[c]));
    draw_items(sizes[c], random_key(seed, kCorpusStream + c), drawn[c], draws);
    for (uint32_t& item : draws) item += static_cast<uint32_t>(first_item);
    first_item += sizes[c];
    left = left.subspan(draws.size());
  }
  return items;
}

}  // namespace dietmt::data
