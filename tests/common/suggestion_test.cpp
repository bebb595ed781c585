#include "common/suggestion.h"

#include <gtest/gtest.h>

namespace dietmt {
namespace {

const std::vector<std::string> kWords = {"train", "translate", "tokenizer", "beam", "best"};

TEST(Suggestion, IsTheNearestWord) {
  EXPECT_EQ(suggestion("trnslate", kWords), "; did you mean translate?");
  EXPECT_EQ(suggestion("tarin", kWords), "; did you mean train?");  // swapped letters: one edit
  EXPECT_EQ(suggestion("bean", kWords, "--"), "; did you mean --beam?");
  EXPECT_EQ(suggestion("tokeniser", kWords), "; did you mean tokenizer?");
}

TEST(Suggestion, IsEmptyIfNoWordIsNear) {
  EXPECT_EQ(suggestion("evaluate", kWords), "");
  EXPECT_EQ(suggestion("", kWords), "");
  EXPECT_EQ(suggestion(std::string(100'000, 'x'), kWords), "");
  EXPECT_EQ(suggestion("x", {}), "");
}

}  // namespace
}  // namespace dietmt
