#include "data/text/bpe_marks.h"

#include <gtest/gtest.h>

namespace dietmt::data {
namespace {

// subword-nmt undoes its marks with: sed -r 's/(@@ )|(@@ ?$)//g'.
TEST(BpeMarks, JoinTheirWords) {
  for (const auto& [text, words] :
       {std::pair("a new@@ er hou@@ se", "a newer house"), std::pair("new@@ er@@ ", "newer"),
        std::pair("new@@", "new"), std::pair("a@@b @@c", "a@@b @@c"), std::pair("a@@@ b", "a@b"),
        std::pair("", ""), std::pair("plain @ text", "plain @ text")}) {
    EXPECT_EQ(without_bpe_marks(text), words) << text;
    EXPECT_EQ(has_bpe_marks(text), std::string_view(text) != words) << text;
  }
}

}  // namespace
}  // namespace dietmt::data
