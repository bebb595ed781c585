#include "data/pretraining/masking.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "common/error.h"
#include "tests/data/pretraining/word_tokenizer.h"

namespace dietmt::data {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int32_t kPieces = 1'000;  // every third one continues a word
const SpecialPieces kSpecial;

WordTokenizer tokenizer_of_parts() {
  std::vector<std::string> words;
  for (int i = 0; i < kPieces; ++i) words.push_back((i % 3 == 2 ? "##" : "w") + std::to_string(i));
  return WordTokenizer(std::move(words));
}

bool continues(int32_t id) { return id >= kFirstWord && (id - kFirstWord) % 3 == 2; }

// [CLS], n random pieces, [SEP].
std::vector<int32_t> example(int64_t n, uint64_t key) {
  Random random(key);
  std::vector<int32_t> ids = {kSpecial.classify};
  for (int64_t i = 0; i < n; ++i)
    ids.push_back(kFirstWord + static_cast<int32_t>(random.below(kPieces)));
  ids.push_back(kSpecial.separate);
  return ids;
}

struct Result {
  std::vector<int32_t> before;
  std::vector<int32_t> after;
  MaskedPieces masked;
};

Result masked(const Masker& masker, const std::vector<int32_t>& tokens, uint64_t key) {
  Result result = {tokens, tokens, {}};
  result.masked = masker.mask(result.after, key);
  EXPECT_TRUE(std::ranges::is_sorted(result.masked.rows));
  EXPECT_EQ(std::set(result.masked.rows.begin(), result.masked.rows.end()).size(),
            result.masked.ids.size());
  // The true ids restore the example.
  std::vector<int32_t> restored = result.after;
  for (size_t i = 0; i < result.masked.rows.size(); ++i)
    restored[static_cast<size_t>(result.masked.rows[i])] = result.masked.ids[i];
  EXPECT_EQ(restored, tokens);
  return result;
}

class MaskingTest : public ::testing::Test {
 protected:
  Masker masker(double rate = 0.15, bool whole_words = false) const {
    MaskingOptions options;
    options.rate = rate;
    options.whole_words = whole_words;
    return {tokenizer_, options};
  }

  const WordTokenizer tokenizer_ = tokenizer_of_parts();
};

TEST_F(MaskingTest, SharesAreThoseOfThePaper) {
  double tokens = 0, chosen = 0, masks = 0, kept = 0, random = 0;
  std::set<int32_t> drawn;
  for (uint64_t key = 0; key < 1'000; ++key) {
    const Result result = masked(masker(), example(126, key), key);
    tokens += static_cast<double>(result.after.size());
    chosen += static_cast<double>(result.masked.rows.size());
    for (size_t i = 0; i < result.masked.rows.size(); ++i) {
      const int32_t now = result.after[static_cast<size_t>(result.masked.rows[i])];
      masks += now == kSpecial.mask;
      kept += now == result.masked.ids[i];
      if (now != kSpecial.mask && now != result.masked.ids[i]) {
        ++random;
        drawn.insert(now);
      }
    }
  }
  EXPECT_NEAR(chosen / tokens, 0.15, 0.002);
  // Three standard deviations of 19,000 draws are below 0.009.
  EXPECT_NEAR(masks / chosen, 0.8, 0.009);
  EXPECT_NEAR(kept / chosen, 0.1, 0.009);
  EXPECT_NEAR(random / chosen, 0.1, 0.009);
  EXPECT_THAT(drawn, Each(::testing::Ge(kFirstWord)));
  EXPECT_GT(drawn.size(), 700U) << "of all pieces";
}

TEST_F(MaskingTest, SharesCanBeSet) {
  MaskingOptions options;
  options.mask_share = 0;
  options.random_share = 0;
  const Result kept = masked({tokenizer_, options}, example(126, 1), 1);
  EXPECT_EQ(kept.after, kept.before);
  EXPECT_THAT(kept.masked.rows, SizeIs(19));
  options.mask_share = 1;
  const Result all = masked({tokenizer_, options}, example(126, 1), 1);
  EXPECT_EQ(std::ranges::count(all.after, kSpecial.mask), 19);
}

TEST_F(MaskingTest, EveryRowIsChosenAlike) {
  std::map<int64_t, int> times;
  for (uint64_t key = 0; key < 10'000; ++key) {
    for (const int64_t row : masked(masker(), example(18, 5), key).masked.rows) ++times[row];
  }
  EXPECT_THAT(times, SizeIs(18)) << "neither [CLS] nor [SEP]";
  for (const auto& [row, count] : times) EXPECT_NEAR(count, 10'000 * 3 / 18, 150) << row;
}

TEST_F(MaskingTest, TheNumberIsRoundedAsInBert) {
  const auto count = [&](int64_t pieces, double rate) {
    return std::ssize(masked(masker(rate), example(pieces, 1), 1).masked.rows);
  };
  EXPECT_EQ(count(510, 0.15), 77);  // 76.8
  EXPECT_EQ(count(126, 0.15), 19);  // 19.2
  EXPECT_EQ(count(8, 0.15), 2);     // 1.5, to even
  EXPECT_EQ(count(8, 0.25), 2);     // 2.5, to even
  EXPECT_EQ(count(1, 0.15), 1);     // 0.45
  EXPECT_EQ(count(3, 1.0), 3);      // no more than there are
}

TEST_F(MaskingTest, SpecialPiecesStay) {
  std::vector<int32_t> tokens = {kSpecial.classify, kSpecial.unknown, kFirstWord,
                                 kSpecial.separate, kSpecial.mask,    kFirstWord + 1,
                                 kSpecial.pad,      kSpecial.separate};
  EXPECT_THAT(masked(masker(1), tokens, 3).masked.rows, ElementsAre(2, 5));
  tokens = {kSpecial.classify, kSpecial.unknown, kSpecial.separate};
  EXPECT_THAT(masked(masker(1), tokens, 3).masked.rows, IsEmpty());
  EXPECT_THAT(masked(masker(1), {}, 3).masked.rows, IsEmpty());
}

TEST_F(MaskingTest, WholeWordsAreChosenTogether) {
  double tokens = 0, chosen = 0;
  for (uint64_t key = 0; key < 300; ++key) {
    const Result result = masked(masker(0.15, true), example(126, key), key);
    const std::set<int64_t> rows(result.masked.rows.begin(), result.masked.rows.end());
    for (size_t row = 1; row + 1 < result.before.size(); ++row) {
      const auto r = static_cast<int64_t>(row);
      if (continues(result.before[row]) && row > 1) {
        EXPECT_EQ(rows.contains(r), rows.contains(r - 1));
      }
    }
    tokens += static_cast<double>(result.before.size());
    chosen += static_cast<double>(rows.size());
    EXPECT_LE(rows.size(), 19U);
  }
  EXPECT_NEAR(chosen / tokens, 0.15, 0.005);
}

TEST_F(MaskingTest, SpecialPiecesPartWords) {
  const int32_t word = kFirstWord, rest = kFirstWord + 2;
  ASSERT_TRUE(continues(rest));
  // One piece is wanted, and the only single-piece word comes after [UNK].
  for (uint64_t key = 0; key < 20; ++key) {
    const std::vector<int32_t> tokens = {word, rest, kSpecial.unknown, rest};
    EXPECT_THAT(masked(masker(0.25, true), tokens, key).masked.rows, ElementsAre(3));
  }
}

TEST_F(MaskingTest, AWordTooLongIsChosenWhereNoOtherIs) {
  const int32_t word = kFirstWord, rest = kFirstWord + 2;
  const Result result = masked(masker(0.15, true), {kSpecial.classify, word, rest, rest}, 1);
  EXPECT_THAT(result.masked.rows, ElementsAre(1, 2, 3));
}

TEST_F(MaskingTest, TextWithoutSpacesIsMaskedPieceByPiece) {
  std::vector<int32_t> tokens(101, kFirstWord + 2);
  tokens.front() = kSpecial.classify;
  tokens[60] = kFirstWord;  // another sentence
  std::set<int64_t> chosen;
  for (uint64_t key = 0; key < 50; ++key) {
    const std::vector<int64_t> rows = masked(masker(0.15, true), tokens, key).masked.rows;
    EXPECT_THAT(rows, SizeIs(15));
    chosen.insert(rows.begin(), rows.end());
  }
  EXPECT_GT(chosen.size(), 95U);
}

TEST_F(MaskingTest, IsAFunctionOfTokensAndKey) {
  const std::vector<int32_t> tokens = example(126, 1);
  const Result first = masked(masker(), tokens, 1), same = masked(masker(), tokens, 1),
               other = masked(masker(), tokens, 2);
  EXPECT_EQ(first.after, same.after);
  EXPECT_EQ(first.masked.rows, same.masked.rows);
  EXPECT_NE(first.masked.rows, other.masked.rows);
}

TEST_F(MaskingTest, WrongOptionsAreErrors) {
  const auto problems = [](double rate, double mask, double random) {
    MaskingOptions options;
    options.rate = rate;
    options.mask_share = mask;
    options.random_share = random;
    return options.problems();
  };
  EXPECT_THAT(problems(0.15, 0.8, 0.2), IsEmpty());
  EXPECT_THAT(problems(1, 0, 0), IsEmpty());
  EXPECT_THAT(problems(0, 0.8, 0.1), ElementsAre(HasSubstr("above 0")));
  EXPECT_THAT(problems(NAN, 0.8, 0.1), SizeIs(1));
  EXPECT_THAT(problems(1.1, 0.8, 0.3), SizeIs(2));
  EXPECT_THAT(problems(0.15, 0.8, -0.1), SizeIs(1));
  EXPECT_THROW(masker(0), ConfigError);
  EXPECT_THROW(Masker(WordTokenizer({}), {}), DataError);
}

}  // namespace
}  // namespace dietmt::data
