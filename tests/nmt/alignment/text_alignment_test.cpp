#include "nmt/alignment/text_alignment.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <numeric>

#include "common/random.h"
#include "tests/common/test_directory.h"

namespace dietmt::nmt {
namespace {

constexpr int kLines = 300;

// Sentences of distinct words in random order; a translation has the same words with the first one
// last, and an extra word that translates none.
class TextAlignmentTest : public testing::Test {
 protected:
  void SetUp() override {
    Random random(random_key(1, 2));
    std::ofstream source(source_file_), target(target_file_);
    for (int i = 0; i < kLines; ++i) {
      std::vector<int> words(40);
      std::iota(words.begin(), words.end(), 0);
      for (size_t k = words.size(); k > 1; --k) std::swap(words[k - 1], words[random.below(k)]);
      words.resize(i == 7 ? 0 : 3 + random.below(5));
      for (const int word : words) source << " s" << word << ' ';
      source << '\n';
      if (!words.empty()) std::rotate(words.begin(), words.begin() + 1, words.end());
      for (const int word : words) target << 't' << word << ' ';
      target << (words.empty() ? "\n" : "oh\n");
      lengths_.push_back(static_cast<int32_t>(words.size()));
    }
  }

  // Precision and recall of `links`.
  std::pair<double, double> precision_and_recall(Symmetrization symmetrization) const {
    const AlignableText source(source_file_, nullptr), target(target_file_, nullptr);
    std::map<std::string, int> iterations;
    const TextAlignment alignment(
        source, target, {.iterations = 4}, symmetrization,
        [&](const char* direction, const data::AlignerIteration&) { ++iterations[direction]; });
    EXPECT_EQ(iterations["forward"], symmetrization == Symmetrization::kReverse ? 0 : 4);
    EXPECT_EQ(iterations["reverse"], symmetrization == Symmetrization::kForward ? 0 : 4);
    int given = 0, right = 0, gold = 0;
    for (int64_t line = 0; line < kLines; ++line) {
      const int32_t length = lengths_[static_cast<size_t>(line)];
      gold += length;
      for (const WordPair& link : alignment.links(line)) {
        ++given;
        right += link.target < length && link.source == (link.target + 1) % length;
      }
    }
    return {1.0 * right / given, 1.0 * right / gold};
  }

  TestDirectory folder_;
  const std::string source_file_ = folder_ / "source", target_file_ = folder_ / "target";
  std::vector<int32_t> lengths_;
};

TEST_F(TextAlignmentTest, ReadsWordsAndEmptyLines) {
  const AlignableText text(source_file_, nullptr);
  EXPECT_EQ(text.size(), kLines);
  EXPECT_EQ(text.vocabulary(), 40);
  EXPECT_TRUE(text.line(7).tokens.empty());
  EXPECT_EQ(static_cast<int32_t>(text.line(0).tokens.size()), lengths_[0]);
  EXPECT_THAT(std::vector<int32_t>(text.line(0).words.begin(), text.line(0).words.begin() + 3),
              testing::ElementsAre(0, 1, 2));
}

TEST_F(TextAlignmentTest, FindsTheWordsThatBelongTogether) {
  const auto [precision, recall] = precision_and_recall(Symmetrization::kIntersection);
  EXPECT_GT(precision, 0.99);
  EXPECT_GT(recall, 0.95);
}

TEST_F(TextAlignmentTest, EachDirectionLinksItsOwnWords) {
  // Each source word has a translation, but not each target word.
  EXPECT_GT(precision_and_recall(Symmetrization::kReverse).first, 0.95);
  const auto [precision, recall] = precision_and_recall(Symmetrization::kForward);
  EXPECT_GT(recall, 0.95);
  const auto [all_precision, all_recall] = precision_and_recall(Symmetrization::kUnion);
  EXPECT_LE(all_precision, precision);
  EXPECT_GE(all_recall, recall);
}

}  // namespace
}  // namespace dietmt::nmt
