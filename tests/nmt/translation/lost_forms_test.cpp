#include "nmt/translation/lost_forms.h"

#include <gtest/gtest.h>

namespace dietmt::nmt {
namespace {

TEST(LostFormsTest, WordsGetTheFormOfTheSource) {
  EXPECT_EQ(with_forms_of("10 m\u00B2 of App\u2122, H\u2082O.", "10 m2 von AppTM, (H2O)."),
            "10 m\u00B2 von App\u2122, (H\u2082O).");
  EXPECT_EQ(with_forms_of("m\u00B2 and m\u00B2", "m2 und m2"), "m\u00B2 und m\u00B2");
}

TEST(LostFormsTest, OnlyIfTheSourceSaysWhich) {
  for (const auto& [source, translation] :
       {std::pair("m\u00B2 and m2", "m2 und m2"), std::pair("m2 and m\u00B2", "m2 und m2"),
        std::pair("m\u00B2", "m2, m2"), std::pair("m\u00B2 and m\u00B2", "m2"),
        std::pair("5\u00B9 or \u2460", "51 oder 1"), std::pair("m\u00B2", "Am2"),
        std::pair("\uFF29\uFF22\uFF2D o\uFB03ce \u2192", "IBM office \u2192")})
    EXPECT_EQ(with_forms_of(source, translation), translation);
}

}  // namespace
}  // namespace dietmt::nmt
