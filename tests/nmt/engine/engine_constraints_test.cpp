// Searches with terms that the translations must contain: the same in the engine and on tensors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "tests/nmt/engine/engine_run.h"

namespace dietmt::nmt {
namespace {

using Tokens = std::vector<int32_t>;

// Up to four terms of up to three tokens; some have an alternative, and some are listed twice.
std::vector<TranslationRequest> constrained_requests(int64_t count, uint64_t seed) {
  auto requests = random_requests(count, 12, seed);
  Random random(seed + 1);
  const auto term = [&] { return random_words(1 + static_cast<int64_t>(random.below(3)), random); };
  for (TranslationRequest& request : requests) {
    std::vector<Constraint>& terms = request.constraints.terms;
    for (uint64_t n = random.below(4); n > 0; --n) terms.push_back(Constraint{term()});
    if (!terms.empty() && random.below(3) == 0) terms.front().push_back(term());
    if (!terms.empty() && random.below(4) == 0) terms.push_back(terms.front());
  }
  return requests;
}

bool meets(const TranslationRequest& request, const Tokens& ids) {
  if (request.constraints.terms.empty()) return true;
  const ConstraintTrie trie(request.constraints);
  ConstraintTrie::State state;
  for (const int32_t id : ids) state = trie.next(state, id);
  return trie.is_met(state);
}

void expect_met(const std::vector<TranslationRequest>& requests, const std::vector<NBest>& found) {
  for (size_t i = 0; i < found.size(); ++i) {
    ASSERT_FALSE(found[i].empty()) << "sentence " << i;
    for (const Hypothesis& one : found[i])
      EXPECT_TRUE(meets(requests[i], one.ids)) << "sentence " << i;
  }
}

SearchOptions long_search(int64_t beam, int64_t nbest) {
  SearchOptions options = short_search(beam, nbest);
  options.max_length_offset = 25;
  return options;
}

Models lively(uint64_t seed) { return {lively_model(engine_config(), seed)}; }

TEST(EngineConstraints, AllTranslationsMeetThemAndEqualThoseOfTensors) {
  const auto requests = constrained_requests(15, 21);
  const Models one = lively(1);
  const Models two = {lively(1).front(), lively(2).front()};
  for (const Models& models : {one, two}) {
    for (const auto& [beam, nbest] :
         std::vector<std::pair<int64_t, int64_t>>{{2, 1}, {5, 5}, {12, 4}}) {
      const SearchOptions options = long_search(beam, nbest);
      const auto found = decode(*engine_of(models), requests, options);
      expect_met(requests, found);
      expect_equal(found, decode(*torch_of(models), requests, options));
    }
  }
}

TEST(EngineConstraints, LeaveOtherSentencesOfTheBatchAlone) {
  auto requests = constrained_requests(20, 22);
  const Models models = lively(3);
  const SearchOptions options = long_search(4, 2);
  const auto found = decode(*engine_of(models), requests, options);
  const auto found_on_tensors = decode(*torch_of(models), requests, options);
  int64_t free = 0;
  for (size_t i = 0; i < requests.size(); ++i) {
    if (!requests[i].constraints.terms.empty()) continue;
    ++free;
    expect_identical({found[i]}, decode(*engine_of(models), {requests[i]}, options));
    expect_equal({found_on_tensors[i]}, {found[i]});
  }
  EXPECT_GT(free, 1);
}

TEST(EngineConstraints, WorkWithEveryOtherOption) {
  auto requests = constrained_requests(10, 23);
  for (size_t i = 0; i < requests.size(); i += 3) {
    Random random(i);
    requests[i].prefix = random_words(1 + static_cast<int64_t>(i % 3), random);
  }
  const Models models = lively(4);
  std::vector<SearchOptions> all(4, long_search(5, 2));
  all[0].min_length = 9;
  all[1].no_repeat_ngram = 1;
  all[2].repetition_penalty = 1.5;
  all[3].patience = 2.0;
  for (const SearchOptions& options : all) {
    const auto found = decode(*engine_of(models), requests, options);
    expect_met(requests, found);
    expect_equal(found, decode(*torch_of(models), requests, options));
    for (size_t i = 0; i < found.size(); ++i) {
      const Tokens& prefix = requests[i].prefix;
      const Tokens& ids = found[i].front().ids;
      ASSERT_GE(ids.size(), prefix.size());
      EXPECT_TRUE(std::equal(prefix.begin(), prefix.end(), ids.begin()));
    }
  }
}

// Sampling finds the places of terms in its own way.
TEST(EngineConstraints, SamplesMeetThem) {
  auto requests = constrained_requests(15, 27);
  const Models models = lively(7);
  SearchOptions options = long_search(1, 4);
  options.sample = true;
  const auto found = decode(*engine_of(models), requests, options);
  expect_met(requests, found);
  expect_equal(found, decode(*torch_of(models), requests, options));
  for (TranslationRequest& request : requests) request.constraints = {};
  const auto free = decode(*engine_of(models), requests, options);
  size_t same = 0;
  for (size_t i = 0; i < found.size(); ++i) same += free[i][0].ids == found[i][0].ids ? 1U : 0U;
  EXPECT_GT(same, 1U);
  EXPECT_LT(same, found.size());
}

// Each translation continues the prefix with the pieces, or leaves them for one of the choices.
void expect_continued(const TranslationRequest& request, const NBest& found) {
  const OpenWord& word = request.open_word;
  for (const Hypothesis& one : found) {
    size_t at = request.prefix.size();
    ASSERT_GT(one.ids.size(), at);
    EXPECT_TRUE(std::equal(request.prefix.begin(), request.prefix.end(), one.ids.begin()));
    for (size_t i = 0; i < word.choices.size(); ++i, ++at) {
      ASSERT_LT(at, one.ids.size());
      EXPECT_TRUE(std::ranges::count(word.choices[i], one.ids[at])) << i;
      if (i >= word.pieces.size() || one.ids[at] != word.pieces[i]) break;
    }
  }
}

TEST(EngineConstraints, AnOpenWordIsCompletedInEverySearch) {
  auto requests = constrained_requests(12, 28);
  Random random(29);
  for (size_t i = 0; i < requests.size(); ++i) {
    requests[i].prefix = random_words(static_cast<int64_t>(i % 3), random);
    OpenWord& word = requests[i].open_word;
    word.pieces = random_words(1 + static_cast<int64_t>(i % 2), random);
    for (const int32_t piece : word.pieces) {
      word.choices.push_back(random_words(4, random));
      word.choices.back().push_back(piece);
      std::ranges::sort(word.choices.back());
    }
  }
  const Models models = lively(8);
  std::vector<SearchOptions> all(5, long_search(4, 2));
  all[1] = long_search(1, 3);
  all[1].sample = true;
  all[2].repetition_penalty = 1.5;
  all[3].coverage_penalty = 0.2;
  all[4].diverse_groups = 2;
  std::set<int32_t> first_tokens;
  for (const SearchOptions& options : all) {
    if (options.diverse_groups > 1)
      for (TranslationRequest& request : requests) request.constraints = {};
    const auto found = decode(*engine_of(models), requests, options);
    expect_equal(found, decode(*torch_of(models), requests, options));
    for (size_t i = 0; i < found.size(); ++i) {
      expect_continued(requests[i], found[i]);
      for (const Hypothesis& one : found[i])
        first_tokens.insert(one.ids[requests[i].prefix.size()]);
    }
  }
  EXPECT_GT(first_tokens.size(), requests.size());  // not always the pieces
}

TEST(EngineConstraints, AWordThatGoesOnDoesNotMeetATerm) {
  auto requests = random_requests(8, 12, 24);
  const auto words = std::make_shared<WordPieces>();
  for (size_t token = 0; token < kVocabulary; ++token) {
    words->begins_inside.push_back(token % 2 == 1);
    words->needs_space.push_back(false);
    words->ends_inside.push_back(true);
  }
  for (size_t i = 0; i < requests.size(); ++i)
    requests[i].constraints = {{Constraint{Tokens{static_cast<int32_t>(4 + 2 * i)}}}, words};
  const Models models = lively(5);
  const SearchOptions options = long_search(5, 1);
  const auto found = decode(*engine_of(models), requests, options);
  expect_met(requests, found);
  expect_equal(found, decode(*torch_of(models), requests, options));
}

// The best hypotheses at the length limit, although they lack terms.
TEST(EngineConstraints, MayRemainUnmetAtTheLongestLength) {
  auto requests = random_requests(10, 12, 25);
  Random random(26);
  for (TranslationRequest& request : requests)
    request.constraints.terms = {Constraint{random_words(9, random)}};
  const Models models = lively(6);
  SearchOptions options = long_search(4, 1);
  options.max_length_factor = 0.0;
  options.max_length_offset = 6;
  const auto found = decode(*engine_of(models), requests, options);
  expect_equal(found, decode(*torch_of(models), requests, options));
  for (size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].size(), 1U);
    EXPECT_EQ(found[i].front().ids.size(), 5U);
    EXPECT_FALSE(meets(requests[i], found[i].front().ids));
  }
}

TEST(EngineConstraints, AddTheirTokensToAShortlist) {
  auto requests = random_requests(10, 12, 27);
  for (TranslationRequest& request : requests)
    request.constraints.terms = {Constraint{Tokens{60, 61}}};
  const Models models = lively(7);
  std::vector<EngineModel> packed;
  packed.push_back(make_engine_model(*models.front(), kernels::WeightType::kFloat));
  const EngineDecoder engine(std::move(packed), SpecialTokens{},
                             [](std::span<const int32_t>, Tokens& tokens) {
                               tokens = {10, 11, 12, 13, 14, 15, 16, 17, 18, 19};
                             });
  const auto found = decode(engine, requests, long_search(5, 1));
  expect_met(requests, found);
  for (const NBest& one : found) {
    for (const int32_t id : one.front().ids)
      EXPECT_TRUE((id >= 10 && id < 20) || id == 60 || id == 61) << id;
  }
}

TEST(EngineConstraints, WithATokenOutsideTheVocabularyAreRefused) {
  auto requests = random_requests(1, 5, 28);
  requests.front().constraints.terms = {Constraint{Tokens{kVocabulary}}};
  EXPECT_ANY_THROW(decode(*engine_of(lively(8)), requests, long_search(5, 1)));
}

}  // namespace
}  // namespace dietmt::nmt
