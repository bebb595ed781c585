#include "data/cleaning/cleaner.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <memory>
#include <span>
#include <utility>

#include "data/corpus/corpus_encoding.h"
#include "data/corpus/duplicate_index.h"

namespace dietmt::data {
namespace {

constexpr uint64_t bit(size_t rule) { return uint64_t{1} << rule; }

// A chunk of pairs after the rules that look at each pair by itself.
struct CheckedPairs {
  std::shared_ptr<const RawPairs> raw;  // the sides are views of it
  std::vector<SplitPair> pairs = {};
  std::vector<char> is_readable = {};
  std::vector<uint64_t> objections = {};  // bits of rules
  std::vector<uint64_t> keys = {};        // of each pair, for each rule about duplicates
};

CheckedPairs checked(const std::shared_ptr<const RawPairs>& raw, const PairSource& source,
                     const std::vector<Rule>& rules) {
  CheckedPairs all{.raw = raw};
  const size_t size = raw->places.size();
  all.pairs.resize(size);
  all.is_readable.resize(size);
  all.objections.resize(size);
  for (size_t i = 0; i < size; ++i) {
    SplitPair& pair = all.pairs[i];
    all.is_readable[i] =
        source.split(raw->first(i), raw->second(i), pair) && !raw->places[i].is_cut;
    const PairText text = all.is_readable[i]
                              ? PairText{measured(pair.source), measured(pair.target), pair.score}
                              : PairText{};
    for (size_t rule = 0; rule < rules.size(); ++rule) {
      if (const auto* key = std::get_if<DuplicateKey>(&rules[rule].test))
        all.keys.push_back(key->of(text));
      else if (const auto* test = std::get_if<PairTest>(&rules[rule].test);
               test != nullptr && all.is_readable[i] && !(*test)(text))
        all.objections[i] |= bit(rule);
    }
  }
  return all;
}

// Scores are slow, so only pairs to which no other rule objects get them, except duplicates.
void check_entropies(const std::vector<Rule>& rules, EntropyTest::By by, const PairScorer& scorer,
                     CheckedPairs& all) {
  const auto test_of = [&](const Rule& rule) {
    const auto* test = std::get_if<EntropyTest>(&rule.test);
    return test != nullptr && test->by == by ? test : nullptr;
  };
  if (std::ranges::none_of(rules, test_of)) return;
  std::vector<size_t> scored;
  std::vector<PairSides> sides;
  for (size_t i = 0; i < all.pairs.size(); ++i) {
    if (!all.is_readable[i] || all.objections[i] != 0) continue;
    scored.push_back(i);
    sides.push_back({all.pairs[i].source, all.pairs[i].target});
  }
  const std::vector<PairEntropies> entropies = scorer(sides);
  for (size_t rule = 0; rule < rules.size(); ++rule)
    if (const EntropyTest* test = test_of(rules[rule]))
      for (size_t k = 0; k < scored.size(); ++k)
        if (!test->keeps(entropies[k])) all.objections[scored[k]] |= bit(rule);
}

class Cleaning {
 public:
  Cleaning(PairSource& source, const CleaningOptions& options, const PairSink& sink)
      : source_(source), options_(options), sink_(sink) {
    for (size_t rule = 0; rule < options.rules.size(); ++rule) {
      report_.rules.push_back({options.rules[rule].name});
      if (std::holds_alternative<DuplicateKey>(options.rules[rule].test))
        duplicates_.emplace_back(rule, std::make_unique<DuplicateIndex>(options.directory));
    }
    report_.rules.push_back({kUnreadable});
  }

  CleaningReport run() {
    const auto start = std::chrono::steady_clock::now();
    int64_t read = 0;
    work_in_order(
        options_.threads,
        [&]() -> std::optional<std::shared_ptr<const RawPairs>> {
          if (!is_wanted_) return std::nullopt;
          std::optional<RawPairs> raw = read_pairs(source_, read + 1, options_.most_pairs - read);
          if (!raw) return std::nullopt;
          read += std::ssize(raw->places);
          return std::make_shared<const RawPairs>(std::move(*raw));
        },
        [&](const auto& raw) {
          CheckedPairs pairs = checked(raw, source_, options_.rules);
          check_entropies(options_.rules, EntropyTest::By::kAligner, options_.aligner, pairs);
          check_entropies(options_.rules, EntropyTest::By::kModel, options_.model, pairs);
          return pairs;
        },
        [&](CheckedPairs&& pairs) { take(pairs); });
    report_.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (report_.rules.back().removed == 0) report_.rules.pop_back();
    return std::move(report_);
  }

 private:
  void take(const CheckedPairs& all) {
    const size_t keys = duplicates_.size();
    for (size_t i = 0; i < all.pairs.size() && is_wanted_; ++i) {
      ++report_.pairs;
      const std::span<const uint64_t> of_pair = std::span(all.keys).subspan(i * keys, keys);
      uint64_t objections = all.objections[i];
      if (!all.is_readable[i]) {
        objections = bit(report_.rules.size() - 1);
      } else {
        for (size_t d = 0; d < keys; ++d)
          if (duplicates_[d].second->contains(of_pair[d])) objections |= bit(duplicates_[d].first);
      }
      if (objections == 0)
        keep(all, i, of_pair);
      else
        remove(all, i, objections);
    }
  }

  void keep(const CheckedPairs& all, size_t i, std::span<const uint64_t> keys) {
    ++report_.kept;
    for (size_t d = 0; d < keys.size(); ++d) duplicates_[d].second->insert(keys[d]);
    is_wanted_ = sink_.keep(all.pairs[i],
                            source_.has_whole_lines() ? all.raw->first(i) : std::string_view());
  }

  void remove(const CheckedPairs& all, size_t i, uint64_t objections) {
    const SplitPair& pair = all.pairs[i];
    RuleCount& first = report_.rules[static_cast<size_t>(std::countr_zero(objections))];
    const bool has_sides = all.is_readable[i] || !source_.has_whole_lines();
    const SplitPair whole{.source = all.raw->first(i), .target = all.raw->second(i)};
    const SplitPair& shown = has_sides ? pair : whole;
    first.remove(all.raw->first_number + static_cast<int64_t>(i), shown.source, shown.target);
    for (uint64_t rest = objections; rest != 0; rest &= rest - 1)
      ++report_.rules[static_cast<size_t>(std::countr_zero(rest))].objected;
    is_wanted_ = sink_.remove(first.rule, shown);
  }

  PairSource& source_;
  const CleaningOptions& options_;
  const PairSink& sink_;
  CleaningReport report_;
  std::vector<std::pair<size_t, std::unique_ptr<DuplicateIndex>>> duplicates_;  // with their rules
  bool is_wanted_ = true;
};

}  // namespace

CleaningReport clean(PairSource& source, const CleaningOptions& options, const PairSink& sink) {
  return Cleaning(source, options, sink).run();
}

}  // namespace dietmt::data
