#include "nmt/search/constrained_step.h"

#include <gmock/gmock.h>

#include <numeric>

#include "common/random.h"

namespace dietmt::nmt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Each constraint is one token.
ConstraintTrie trie_of_single_tokens(const std::vector<int32_t>& tokens) {
  TermConstraints constraints;
  for (const int32_t token : tokens)
    constraints.terms.push_back(Constraint{std::vector<int32_t>{token}});
  return ConstraintTrie(constraints);
}

// Sizes of banks with this many candidates and these best sums.
std::vector<size_t> sizes(const std::vector<std::pair<size_t, double>>& all, size_t beam) {
  std::vector<Bank> banks;
  for (const auto& [candidates, best] : all) banks.push_back({candidates, best});
  return bank_sizes(banks, beam);
}

TEST(BankSizes, TakeTurnsFromTheBestOn) {
  EXPECT_THAT(sizes({{9, -1}}, 6), ElementsAre(6));
  EXPECT_THAT(sizes({{9, -1}, {9, -3}, {9, -2}}, 6), ElementsAre(2, 1, 3));
  EXPECT_THAT(sizes({{9, -1}, {9, -3}, {9, -2}, {0, 0}}, 7), ElementsAre(2, 2, 3, 0));
}

TEST(BankSizes, TheLastBankHasOnePlaceAndTheBestTheOthers) {
  EXPECT_THAT(sizes({{9, -4}, {9, -1}, {9, -2}, {9, -3}, {9, -9}, {0, 0}}, 3),
              ElementsAre(0, 1, 1, 0, 1, 0));
  EXPECT_THAT(sizes({{9, -1}, {9, -2}}, 1), ElementsAre(0, 1));
}

TEST(BankSizes, APlaceThatABankCannotFillGoesToAnother) {
  EXPECT_THAT(sizes({{1, -1}, {9, -2}, {2, -3}}, 8), ElementsAre(1, 5, 2));
  EXPECT_THAT(sizes({{1, -1}, {1, -2}}, 8), ElementsAre(1, 1));
  EXPECT_THAT(sizes({{0, 0}, {0, 0}}, 8), ElementsAre(0, 0));
}

TEST(BankSizes, FillTheBeamAsFarAsThereAreCandidates) {
  Random random(3);
  for (int trial = 0; trial < 500; ++trial) {
    std::vector<Bank> banks(1 + random.below(12));
    size_t all = 0;
    for (Bank& bank : banks) {
      bank = {random.below(6), -random.uniform()};
      all += bank.candidates;
    }
    const size_t beam = 1 + random.below(20);
    const std::vector<size_t> found = bank_sizes(banks, beam);
    for (size_t b = 0; b < found.size(); ++b) EXPECT_LE(found[b], banks[b].candidates);
    EXPECT_EQ(std::accumulate(found.begin(), found.end(), size_t{0}), std::min(all, beam));
  }
}

Candidate candidate_of_beam(int32_t beam, int32_t token, double sum) {
  return {sum, static_cast<float>(sum), beam, token};
}

std::vector<std::pair<int32_t, int32_t>> chosen(ConstrainedStep& step) {
  std::vector<std::pair<int32_t, int32_t>> found;
  for (const Candidate& one : step.choose()) found.emplace_back(one.beam, one.token);
  return found;
}

TEST(ConstrainedStep, KeepsAHypothesisWithATermBesideBetterOnes) {
  const ConstraintTrie trie = trie_of_single_tokens({5});
  ConstrainedStep step(trie, SpecialTokens{}, 2);
  EXPECT_THAT(step.wanted(0), ElementsAre(5));
  step.offer_wanted(candidate_of_beam(0, 5, -9));
  step.offer(candidate_of_beam(0, 7, -1));
  step.offer(candidate_of_beam(0, 8, -2));
  step.offer(candidate_of_beam(0, 5, -9));  // again
  EXPECT_THAT(chosen(step), ElementsAre(std::pair(0, 7), std::pair(0, 5)));
  EXPECT_THAT(step.wanted(0), ElementsAre(5));
  EXPECT_THAT(step.wanted(1), IsEmpty());
}

TEST(ConstrainedStep, OnlyAHypothesisThatMeetsAllConstraintsEnds) {
  const ConstraintTrie trie = trie_of_single_tokens({5});
  ConstrainedStep step(trie, SpecialTokens{}, 2);
  step.offer_wanted(candidate_of_beam(0, 5, -9));
  step.offer(candidate_of_beam(0, 7, -1));
  step.offer(candidate_of_beam(0, 2, -1.1));
  EXPECT_THAT(chosen(step), ElementsAre(std::pair(0, 7), std::pair(0, 5)));
  step.offer(candidate_of_beam(0, 7, -2));
  step.offer(candidate_of_beam(0, 2, -2.1));
  step.offer(candidate_of_beam(1, 2, -9.1));
  step.offer(candidate_of_beam(1, 7, -9.5));
  EXPECT_THAT(chosen(step), ElementsAre(std::pair(1, 2), std::pair(0, 7), std::pair(1, 7)));
}

TEST(ConstrainedStep, WhereTheSentenceShouldEndOnlyTermsFollow) {
  const ConstraintTrie trie = trie_of_single_tokens({5});
  ConstrainedStep step(trie, SpecialTokens{}, 2);
  step.offer_wanted(candidate_of_beam(0, 5, -9));
  step.offer(candidate_of_beam(0, 2, -0.1));
  step.offer(candidate_of_beam(0, 7, -1));
  EXPECT_THAT(chosen(step), ElementsAre(std::pair(0, 5)));
  step.offer(candidate_of_beam(0, 7, -9.1));
  EXPECT_THAT(chosen(step), ElementsAre(std::pair(0, 7)));
}

TEST(ConstrainedStep, AtTheLimitOfLengthThoseThatMeetMostEnd) {
  const ConstraintTrie trie = trie_of_single_tokens({5, 6});
  ConstrainedStep step(trie, SpecialTokens{}, 3);
  step.offer_wanted(candidate_of_beam(0, 5, -9));
  step.offer(candidate_of_beam(0, 7, -1));
  EXPECT_THAT(chosen(step), ElementsAre(std::pair(0, 7), std::pair(0, 5)));
  step.offer(candidate_of_beam(0, 2, -1));
  step.offer(candidate_of_beam(1, 2, -9));
  EXPECT_THAT(chosen(step), ElementsAre(std::pair(1, 2)));
}

TEST(ConstrainedStep, AtTheLimitOfLengthNoneEndsBesideOneThatMeetsAll) {
  const ConstraintTrie trie = trie_of_single_tokens({5});
  ConstrainedStep step(trie, SpecialTokens{}, 2);
  step.offer_wanted(candidate_of_beam(0, 5, -9));
  step.offer(candidate_of_beam(0, 7, -1));
  step.choose();
  step.offer(candidate_of_beam(0, 7, -2));
  step.offer(candidate_of_beam(1, 2, -9.1));
  EXPECT_THAT(chosen(step), ElementsAre(std::pair(1, 2), std::pair(0, 7)));
  step.offer(candidate_of_beam(0, 2, -2.1));
  EXPECT_THAT(chosen(step), IsEmpty());
}

}  // namespace
}  // namespace dietmt::nmt
