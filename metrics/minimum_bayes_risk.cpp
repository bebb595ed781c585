#include "metrics/minimum_bayes_risk.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <unordered_map>

#include "common/error.h"
#include "metrics/bleu.h"
#include "metrics/chrf.h"
#include "metrics/ngrams.h"
#include "metrics/unicode.h"

namespace dietmt::metrics {
namespace {

// A metric as a function of n-gram counts, which may be averages.
class UtilityOfCounts {
 public:
  explicit UtilityOfCounts(Utility utility) : is_chrf_(utility == Utility::kChrf) {
    if (is_chrf_)
      metric_ = std::make_unique<Chrf>(ChrfOptions{});
    else
      metric_ = std::make_unique<Bleu>(BleuOptions{.effective_order = true});
  }

  size_t orders() const { return is_chrf_ ? 6 : 4; }

  std::vector<Symbols> symbols(std::span<const std::string> sentences) const {
    std::vector<Symbols> all;
    WordIds ids;
    for (const std::string& sentence : sentences) {
      if (is_chrf_) {
        Symbols& characters = all.emplace_back();
        for (const char32_t c : code_points(sentence))
          if (!is_space(c)) characters.push_back(c);
      } else {
        all.push_back(ids.number(tokenize(BleuTokenizer::k13a, strip_right(sentence))));
      }
    }
    return all;
  }

  // Each span: by order.
  double score(std::span<const double> candidate, std::span<const double> reference,
               std::span<const double> matches) const {
    std::vector<double> statistics;
    if (is_chrf_) {
      for (size_t n = 0; n < orders(); ++n)
        statistics.insert(statistics.end(), {candidate[n], reference[n], matches[n]});
    } else {
      statistics = {candidate[0], reference[0]};
      statistics.insert(statistics.end(), matches.begin(), matches.end());
      statistics.insert(statistics.end(), candidate.begin(), candidate.end());
    }
    return metric_->score(statistics).score;
  }

 private:
  bool is_chrf_;
  std::unique_ptr<const Metric> metric_;
};

// The distinct candidates of a sentence and what their n-grams share.
class Candidates {
 public:
  Candidates(std::span<const std::string> texts, std::span<const double> weights,
             const UtilityOfCounts& utility)
      : utility_(utility),
        orders_(utility.orders()),
        distinct_(distinct_candidates(texts, weights)) {
    symbols_ = utility.symbols(distinct_.texts);
    for (const Symbols& one : symbols_)
      for (size_t n = 0; n < orders_; ++n)
        totals_.push_back(static_cast<double>(ngram_total(one, static_cast<int64_t>(n) + 1)));
  }

  size_t size() const { return distinct_.first.size(); }
  size_t first(size_t i) const { return distinct_.first[i]; }

  // Utility of each candidate against the average of all.
  std::vector<double> against_average() const {
    std::vector<double> average(orders_), matches(size() * orders_), scores;
    for (size_t i = 0; i < size(); ++i)
      for (size_t n = 0; n < orders_; ++n) average[n] += distinct_.weights[i] * totals(i)[n];
    for_each_ngram(symbols_, static_cast<int64_t>(orders_),
                   [&](int64_t order, std::span<const NgramCount> counts) {
                     double mean = 0.0;
                     for (const NgramCount& one : counts)
                       mean += distinct_.weights[one.sequence] * static_cast<double>(one.count);
                     for (const NgramCount& one : counts)
                       matches[one.sequence * orders_ + static_cast<size_t>(order) - 1] +=
                           std::min(mean, static_cast<double>(one.count));
                   });
    for (size_t i = 0; i < size(); ++i)
      scores.push_back(utility_.score(
          totals(i), average, std::span<const double>(matches).subspan(i * orders_, orders_)));
    return scores;
  }

  // u(i) of each of `chosen`.
  std::vector<double> expected(std::span<const size_t> chosen) const {
    constexpr size_t kNone = static_cast<size_t>(-1);
    std::vector<size_t> rows(size(), kNone);
    for (size_t row = 0; row < chosen.size(); ++row) rows[chosen[row]] = row;
    std::vector<double> matches(chosen.size() * size() * orders_);  // [chosen, reference, order]
    for_each_ngram(symbols_, static_cast<int64_t>(orders_),
                   [&](int64_t order, std::span<const NgramCount> counts) {
                     for (const NgramCount& candidate : counts) {
                       const size_t row = rows[candidate.sequence];
                       if (row == kNone) continue;
                       double* to =
                           &matches[row * size() * orders_ + static_cast<size_t>(order) - 1];
                       for (const NgramCount& reference : counts)
                         to[reference.sequence * orders_] +=
                             static_cast<double>(std::min(candidate.count, reference.count));
                     }
                   });
    std::vector<double> utilities(chosen.size());
    for (size_t row = 0; row < chosen.size(); ++row) {
      for (size_t j = 0; j < size(); ++j)
        utilities[row] +=
            distinct_.weights[j] * utility_.score(totals(chosen[row]), totals(j),
                                                  std::span<const double>(matches).subspan(
                                                      (row * size() + j) * orders_, orders_));
    }
    return utilities;
  }

 private:
  std::span<const double> totals(size_t i) const {
    return std::span<const double>(totals_).subspan(i * orders_, orders_);
  }

  const UtilityOfCounts& utility_;
  const size_t orders_;
  const WeightedCandidates distinct_;
  std::vector<Symbols> symbols_;
  std::vector<double> totals_;  // n-grams. [candidates, orders]
};

// Best first; equal ones in their order.
std::vector<size_t> ranking(std::span<const double> utilities) {
  std::vector<size_t> order(utilities.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return utilities[a] > utilities[b]; });
  return order;
}

}  // namespace

Utility utility_from_name(const std::string& name) {
  if (name == "chrf") return Utility::kChrf;
  if (name == "bleu") return Utility::kBleu;
  throw ConfigError("unknown utility '" + name + "'; possible: chrf, bleu");
}

WeightedCandidates distinct_candidates(std::span<const std::string> candidates,
                                       std::span<const double> weights) {
  WeightedCandidates distinct;
  std::unordered_map<std::string_view, size_t> places;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const auto [place, is_new] = places.try_emplace(candidates[i], distinct.texts.size());
    if (is_new) {
      distinct.first.push_back(i);
      distinct.weights.push_back(0.0);
      distinct.texts.push_back(candidates[i]);
    }
    distinct.weights[place->second] +=
        weights.empty() ? 1.0 / static_cast<double>(candidates.size()) : weights[i];
  }
  return distinct;
}

std::vector<double> expected_utilities(std::span<const double> weights,
                                       std::span<const double> scores) {
  std::vector<double> utilities;
  for (auto row = scores.begin(); row != scores.end(); row += std::ssize(weights))
    utilities.push_back(std::inner_product(weights.begin(), weights.end(), row, 0.0));
  return utilities;
}

std::vector<RankedCandidate> ranked_candidates(const WeightedCandidates& candidates,
                                               std::span<const double> utilities) {
  std::vector<RankedCandidate> ranked;
  for (const size_t i : ranking(utilities)) ranked.push_back({candidates.first[i], utilities[i]});
  return ranked;
}

std::vector<RankedCandidate> rank_by_bayes_risk(std::span<const std::string> candidates,
                                                std::span<const double> weights,
                                                const BayesRiskOptions& options) {
  const UtilityOfCounts utility(options.utility);
  const Candidates all(candidates, weights, utility);
  std::vector<double> estimates;
  std::vector<size_t> order(all.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto exact = static_cast<size_t>(options.exact);
  if (exact > 0 && exact < all.size()) {
    estimates = all.against_average();
    order = ranking(estimates);
  }
  const size_t computed = exact > 0 ? std::min(exact, all.size()) : all.size();
  std::vector<size_t> chosen(order.begin(), order.begin() + static_cast<ptrdiff_t>(computed));
  std::sort(chosen.begin(), chosen.end());
  const std::vector<double> utilities = all.expected(chosen);
  std::vector<RankedCandidate> ranked;
  for (const size_t row : ranking(utilities))
    ranked.push_back({all.first(chosen[row]), utilities[row]});
  for (size_t i = computed; i < order.size(); ++i)
    ranked.push_back({all.first(order[i]), estimates[order[i]]});
  return ranked;
}

}  // namespace dietmt::metrics
