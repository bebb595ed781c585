#include "metrics/comparison/sentence_groups.h"

#include <gmock/gmock.h>

namespace dietmt::metrics {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

TEST(SentenceGroups, HaveTensOfWords) {
  const auto sentence = [](size_t words) { return Symbols(words, 0); };
  const SentenceGroups groups =
      groups_by_length({sentence(10), sentence(0), sentence(9), sentence(999), sentence(19)});
  EXPECT_THAT(groups.names, ElementsAre("0–9", "10–19", "60+"));
  EXPECT_THAT(groups.of_sentences, ElementsAre(1, 0, 0, 2, 1));
  EXPECT_THAT(groups.sizes, ElementsAre(2, 2, 1));
}

TEST(SentenceGroups, HaveLabels) {
  const SentenceGroups groups = groups_by_label({"news", "", "news"});
  EXPECT_THAT(groups.names, ElementsAre("news", ""));
  EXPECT_THAT(groups.sizes, ElementsAre(2, 1));
}

TEST(SentenceGroups, ManyLabelsShareTheLastGroup) {
  std::vector<std::string> labels;
  for (int i = 0; i < 150; ++i) labels.push_back(std::to_string(i));
  const SentenceGroups groups = groups_by_label(labels);
  ASSERT_THAT(groups.names, SizeIs(101));
  EXPECT_EQ(groups.names.back(), "all others");
  EXPECT_EQ(groups.sizes.back(), 50U);
}

}  // namespace
}  // namespace dietmt::metrics
