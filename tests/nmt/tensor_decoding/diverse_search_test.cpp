#include <algorithm>
#include <map>
#include <set>

#include "tests/nmt/tensor_decoding/table_search.h"

namespace dietmt::nmt {
namespace {

// Diverse beam search, group by group over all words, without using nmt/search.
class PlainDiverseSearch {
 public:
  PlainDiverseSearch(Distribution distribution, int64_t sentence, const SearchTask& task,
                     const SearchOptions& options)
      : distribution_(std::move(distribution)),
        sentence_(sentence),
        task_(task),
        options_(options),
        open_(static_cast<size_t>(options.diverse_groups), NBest(1)),
        done_(open_.size()) {}

  NBest run() {
    for (int64_t step = 0; step < task_.max_length; ++step) {
      std::map<int32_t, int64_t> chosen;
      for (size_t g = 0; g < open_.size(); ++g) advance(g, step, chosen);
    }
    NBest all;
    std::set<std::vector<int32_t>> seen;
    for (const NBest& group : done_)
      for (const Hypothesis& one : group)
        if (seen.insert(one.ids).second) all.push_back(one);
    std::stable_sort(all.begin(), all.end(),
                     [](const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; });
    all.resize(std::min(all.size(), static_cast<size_t>(options_.nbest)));
    return all;
  }

 private:
  struct Continuation {
    double value;
    const Hypothesis* of;
    int32_t token;
    double log_prob;
  };

  void advance(size_t g, int64_t step, std::map<int32_t, int64_t>& chosen) {
    std::vector<Continuation> all;
    for (const Hypothesis& one : open_[g]) {
      std::vector<int64_t> history = {kSpecial.begin};
      history.insert(history.end(), one.ids.begin(), one.ids.end());
      const std::vector<double> log_probs = distribution_(sentence_, history);
      for (int32_t token = kSpecial.end; token < kVocabulary; ++token) {
        if (step + 1 == task_.max_length && token != kSpecial.end) continue;
        if (step < task_.min_length && token == kSpecial.end) continue;
        const double log_prob = static_cast<float>(log_probs[static_cast<size_t>(token)]);
        const double lost = options_.diversity_strength * static_cast<double>(chosen[token]);
        all.push_back({one.sum + log_prob - lost, &one, token, log_prob});
      }
    }
    std::stable_sort(all.begin(), all.end(), [](const Continuation& a, const Continuation& b) {
      return a.value > b.value;
    });
    const auto beam = static_cast<size_t>(options_.beam / options_.diverse_groups);
    NBest next;
    std::map<int32_t, int64_t> selected;
    for (size_t rank = 0; rank < all.size() && next.size() < beam; ++rank) {
      Hypothesis made = *all[rank].of;
      made.sum += all[rank].log_prob;
      made.token_scores.push_back(static_cast<float>(all[rank].log_prob));
      made.score = length_normalized(made.sum, step + 1, options_);
      if (all[rank].token == kSpecial.end) {
        if (rank < beam) done_[g].push_back(made);
      } else {
        made.ids.push_back(all[rank].token);
        next.push_back(made);
        ++selected[all[rank].token];
      }
    }
    for (const auto& [token, count] : selected) chosen[token] += count;
    // With options.nbest = beam a group never ends for lack of better hypotheses.
    if (done_[g].size() >= beam) next.clear();
    open_[g] = next;
  }

  const Distribution distribution_;
  const int64_t sentence_;
  const SearchTask task_;
  const SearchOptions options_;
  std::vector<NBest> open_, done_;  // of the groups
};

TEST(DiverseSearch, EqualsAPlainOne) {
  const std::vector<SearchTask> tasks = {task(7), task(1), task(9), task(8, {}, 3)};
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    const Distribution distribution = random_distribution(seed, kVocabulary);
    for (const auto& [beam, groups] :
         std::vector<std::pair<int64_t, int64_t>>{{4, 2}, {4, 4}, {6, 2}, {6, 3}, {5, 1}}) {
      for (const double strength : {0.0, 0.5, 1.5}) {
        SearchOptions options = search_options(beam, beam, 1.0);
        options.diverse_groups = groups;
        options.diversity_strength = strength;
        const std::vector<NBest> found = search(distribution, tasks, options);
        for (size_t i = 0; i < tasks.size(); ++i) {
          SCOPED_TRACE("seed " + std::to_string(seed) + " sentence " + std::to_string(i) +
                       " groups " + std::to_string(groups));
          const auto sentence = static_cast<int64_t>(i);
          expect_same(found[i],
                      PlainDiverseSearch(distribution, sentence, tasks[i], options).run());
        }
      }
    }
  }
}

TEST(DiverseSearch, FindsMoreFirstWords) {
  size_t plain = 0, diverse = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const auto first_words = [&](int64_t groups) {
      SearchOptions options = search_options(4, 4, 1.0);
      options.diverse_groups = groups;
      const std::vector<NBest> found =
          search(random_distribution(seed, kVocabulary), {task(6, {}, 2)}, options);
      std::set<int32_t> words;
      for (const Hypothesis& one : found[0]) words.insert(one.ids.front());
      return words.size();
    };
    plain += first_words(1);
    diverse += first_words(4);
  }
  EXPECT_GT(diverse, plain);
}

}  // namespace
}  // namespace dietmt::nmt
