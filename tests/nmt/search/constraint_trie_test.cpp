#include "nmt/search/constraint_trie.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "common/random.h"

namespace dietmt::nmt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Tokens = std::vector<int32_t>;

ConstraintTrie trie_of(std::vector<Constraint> terms) {
  return ConstraintTrie(TermConstraints{.terms = std::move(terms)});
}

ConstraintTrie::State after(const ConstraintTrie& trie, const Tokens& tokens) {
  ConstraintTrie::State state;
  for (const int32_t token : tokens) state = trie.next(state, token);
  return state;
}

bool meets(const ConstraintTrie& trie, const Tokens& tokens) {
  return trie.is_met(after(trie, tokens));
}

Tokens wanted(const ConstraintTrie& trie, const Tokens& tokens) {
  Tokens found;
  trie.wanted(after(trie, tokens), found);
  return found;
}

TEST(ConstraintTrie, ATermIsMetByItsTokensInARow) {
  const ConstraintTrie trie = trie_of({{Tokens{5, 6, 7}}});
  EXPECT_TRUE(meets(trie, {9, 5, 6, 7}));
  EXPECT_TRUE(meets(trie, {5, 6, 7, 9}));
  EXPECT_FALSE(meets(trie, {5, 6, 9, 7}));
  EXPECT_FALSE(meets(trie, {5, 6}));
  EXPECT_FALSE(meets(trie, {}));
}

TEST(ConstraintTrie, AFailedStartMayBeginAgainInTheMiddle) {
  const ConstraintTrie trie = trie_of({{Tokens{5, 5, 6}}});
  EXPECT_TRUE(meets(trie, {5, 5, 5, 6}));
  EXPECT_EQ(trie.tokens_met(after(trie, {5, 5, 5})), 2);
}

TEST(ConstraintTrie, CountsTheTokensAndTakesBackABrokenTerm) {
  const ConstraintTrie trie = trie_of({{Tokens{5, 6, 7}}, {Tokens{8}}});
  EXPECT_EQ(trie.tokens(), 4);
  EXPECT_EQ(trie.tokens_met({}), 0);
  EXPECT_EQ(trie.tokens_met(after(trie, {5, 6})), 2);
  EXPECT_EQ(trie.tokens_met(after(trie, {5, 6, 9})), 0);
  EXPECT_EQ(trie.tokens_met(after(trie, {8, 5})), 2);
  EXPECT_EQ(trie.tokens_met(after(trie, {8, 8, 5, 6, 7})), 4);
}

TEST(ConstraintTrie, WantsTheNextTokenOrTheFirstOnesOfUnmetTerms) {
  const ConstraintTrie trie = trie_of({{Tokens{5, 6}}, {Tokens{8, 9}, Tokens{4}}, {Tokens{5, 7}}});
  EXPECT_THAT(wanted(trie, {}), ElementsAre(4, 5, 8));
  EXPECT_THAT(wanted(trie, {5}), ElementsAre(6, 7));
  EXPECT_THAT(wanted(trie, {5, 6}), ElementsAre(4, 5, 8));
  EXPECT_THAT(wanted(trie, {4}), ElementsAre(5));
  EXPECT_THAT(wanted(trie, {4, 5, 7, 5, 6}), IsEmpty());
}

TEST(ConstraintTrie, AlternativesCountAsTheLongest) {
  const ConstraintTrie trie = trie_of({{Tokens{4}, Tokens{5, 6, 7}}});
  EXPECT_EQ(trie.tokens(), 3);
  EXPECT_EQ(trie.tokens_met(after(trie, {4})), 3);
  EXPECT_EQ(trie.tokens_met(after(trie, {5, 6})), 2);
  EXPECT_TRUE(meets(trie, {4}));
  EXPECT_TRUE(meets(trie, {5, 6, 7}));
}

TEST(ConstraintTrie, EqualTermsAreMetOneByOne) {
  const ConstraintTrie trie = trie_of({{Tokens{5}}, {Tokens{5}}});
  EXPECT_FALSE(meets(trie, {9, 5, 9}));
  EXPECT_TRUE(meets(trie, {5, 9, 5}));
  EXPECT_TRUE(meets(trie, {5, 5}));
}

TEST(ConstraintTrie, ASequenceOfSeveralTermsIsThatOfTheOneWithTheFewest) {
  const ConstraintTrie trie = trie_of({{Tokens{5}, Tokens{6}}, {Tokens{6}}});
  EXPECT_TRUE(meets(trie, {6, 5}));
  EXPECT_TRUE(meets(trie, {5, 6}));
  EXPECT_TRUE(meets(trie, {6, 6}));
  EXPECT_FALSE(meets(trie, {5, 5}));
}

TEST(ConstraintTrie, TheLongestTermWinsAndItsPartStaysOpen) {
  const ConstraintTrie trie = trie_of({{Tokens{5}}, {Tokens{5, 6, 7}}});
  EXPECT_FALSE(meets(trie, {5, 6, 7}));
  EXPECT_TRUE(meets(trie, {5, 6, 7, 5}));
  EXPECT_TRUE(meets(trie, {5, 8, 5, 6, 7}));
  EXPECT_TRUE(meets(trie, {5, 6, 5, 6, 7}));  // the short one, although the long one had begun
  EXPECT_THAT(wanted(trie, {5}), ElementsAre(5, 6));
}

// Tokens below 10; the listed ones begin or end inside a word.
std::shared_ptr<const WordPieces> words(const Tokens& begin_inside, const Tokens& end_inside) {
  auto words = std::make_shared<WordPieces>();
  words->begins_inside.resize(10);
  words->needs_space.resize(10);
  words->ends_inside.resize(10);
  for (const int32_t token : begin_inside) words->begins_inside[static_cast<size_t>(token)] = true;
  for (const int32_t token : end_inside) words->ends_inside[static_cast<size_t>(token)] = true;
  return words;
}

TEST(ConstraintTrie, ATermThatGoesOnAsALongerWordIsNotMet) {
  const ConstraintTrie trie({.terms = {{Tokens{5, 6}}}, .words = words({4}, {6})});
  EXPECT_TRUE(meets(trie, {5, 6}));
  EXPECT_TRUE(meets(trie, {5, 6, 7}));
  EXPECT_FALSE(meets(trie, {5, 6, 4}));
  EXPECT_EQ(trie.tokens_met(after(trie, {5, 6, 4})), 0);
  EXPECT_TRUE(meets(trie, {5, 6, 4, 5, 6}));
}

TEST(ConstraintTrie, ATermDoesNotBeginInsideAWord) {
  const ConstraintTrie trie({.terms = {{Tokens{5}, Tokens{6}}}, .words = words({6}, {7})});
  EXPECT_TRUE(meets(trie, {8, 6}));
  EXPECT_FALSE(meets(trie, {7, 6}));
  EXPECT_TRUE(meets(trie, {7, 5}));
  EXPECT_THAT(wanted(trie, {8}), ElementsAre(5, 6));
  EXPECT_THAT(wanted(trie, {7}), ElementsAre(5));
}

TEST(ConstraintTrie, NoTermIsGluedToTheEndOfAClauseOnPurpose) {
  const auto pieces = std::make_shared<WordPieces>(*words({5}, {}));
  pieces->needs_space[7] = true;
  const ConstraintTrie trie({.terms = {{{5}, {6}}}, .words = pieces});
  EXPECT_THAT(wanted(trie, {7}), ElementsAre(6));
  EXPECT_TRUE(meets(trie, {7, 5}));  // as in a host name
  EXPECT_THAT(wanted(trie, {8}), ElementsAre(5, 6));
}

// Reads the whole text at once: from the left, takes the longest open term at each position; of
// several, the one with the fewest sequences.
bool meets_by_reading(std::vector<Constraint> terms, const Tokens& tokens,
                      const WordPieces& pieces) {
  std::ranges::stable_sort(terms, {}, &Constraint::size);
  const auto is_edge = [&](size_t at) {
    return at == 0 || at == tokens.size() || !pieces.joins(tokens[at - 1], tokens[at]);
  };
  std::vector<bool> met(terms.size());
  for (size_t at = 0; at < tokens.size();) {
    size_t best = terms.size(), length = 0;
    for (size_t c = 0; c < terms.size(); ++c) {
      for (const Tokens& one : terms[c]) {
        const bool fits =
            !met[c] && one.size() > length && one.size() <= tokens.size() - at && is_edge(at) &&
            is_edge(at + one.size()) &&
            std::equal(one.begin(), one.end(), tokens.begin() + static_cast<std::ptrdiff_t>(at));
        if (!fits) continue;
        best = c;
        length = one.size();
      }
    }
    if (length > 0) met[best] = true;
    at += std::max<size_t>(1, length);
  }
  return std::ranges::all_of(met, [](bool one) { return one; });
}

TEST(ConstraintTrie, StepByStepEqualsReadingTheWholeText) {
  Random random(7);
  const auto some_tokens = [&](uint64_t most) {
    Tokens all(1 + random.below(most));
    for (int32_t& token : all) token = 3 + static_cast<int32_t>(random.below(3));
    return all;
  };
  int64_t met = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    std::vector<Constraint> terms(1 + random.below(3));
    for (Constraint& term : terms)
      for (uint64_t n = 1 + random.below(2); n > 0; --n) term.push_back(some_tokens(3));
    const auto pieces = words(Tokens{3}, trial % 2 == 0 ? Tokens{4, 5} : Tokens{});
    const ConstraintTrie trie({.terms = terms, .words = pieces});
    const Tokens tokens = some_tokens(14);
    const bool wanted = meets_by_reading(terms, tokens, *pieces);
    EXPECT_EQ(meets(trie, tokens), wanted) << "trial " << trial;
    EXPECT_LE(trie.tokens_met(after(trie, tokens)), trie.tokens());
    met += wanted;
  }
  EXPECT_GT(met, 500);
  EXPECT_LT(met, 2500);
}

}  // namespace
}  // namespace dietmt::nmt
