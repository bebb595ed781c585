#include "nmt/translation/kept_finder.h"

#include <gmock/gmock.h>

#include "tests/data/fake_subwords.h"

namespace dietmt::nmt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Knows ASCII except digits; anything else in a row is one unknown piece, as in sentencepiece.
class Ascii : public data::CharacterSubwords {
 public:
  data::SpannedPieces encode_with_spans(std::string_view text) const override {
    data::SpannedPieces made;
    const data::SpannedPieces all = CharacterSubwords::encode_with_spans(text);
    for (size_t i = 0; i < all.ids.size(); ++i) {
      const bool is_known = all.ids[i] < 0x80 && !(all.ids[i] >= '0' && all.ids[i] <= '9');
      if (!is_known && !made.ids.empty() && made.ids.back() == unknown()) {
        made.spans.back().end = all.spans[i].end;
        continue;
      }
      made.ids.push_back(is_known ? all.ids[i] : unknown());
      made.spans.push_back(all.spans[i]);
    }
    return made;
  }
  int32_t unknown() const override { return 0; }
};

std::vector<std::string> found_in(const std::string& text, KeptKinds kinds = Kept::kUnknown) {
  static const auto tokenizer = data::fake_tokenizer<Ascii>();
  const auto views = KeptFinder(tokenizer.get(), kinds)(text);
  return {views.begin(), views.end()};
}

TEST(KeptFinderTest, UnknownLettersTakeTheirWordAlong) {
  EXPECT_THAT(found_in("the na\u00EFve \u010Dl\u00E1nek, \u0416\u0443\u043A"),
              ElementsAre("na\u00EFve", "\u010Dl\u00E1nek", "\u0416\u0443\u043A"));
  EXPECT_THAT(found_in("e\u0301te\u0301"), ElementsAre("e\u0301te\u0301"));
}

TEST(KeptFinderTest, OtherUnknownCharactersStandAlone) {
  EXPECT_THAT(found_in("in\u6771\u4EAC\u3002is"), ElementsAre("\u6771\u4EAC\u3002"));
  EXPECT_THAT(found_in("room 7, great\U0001F600"), ElementsAre("7", "\U0001F600"));
  EXPECT_THAT(found_in("known \u00A0 words"), IsEmpty());
}

TEST(KeptFinderTest, WhatAnotherKindHasIsNotFoundTwice) {
  const KeptKinds kinds = KeptKinds(Kept::kUnknown) | Kept::kSymbols | Kept::kPlaceholders;
  EXPECT_THAT(found_in("\u6771\U0001F600\u4EAC {7} 7", kinds),
              ElementsAre("\u6771", "\U0001F600", "\u4EAC", "{7}", "7"));
  EXPECT_THAT(found_in("\u6771 {0}", KeptKinds(Kept::kPlaceholders)), ElementsAre("{0}"));
}

TEST(KeptFinderTest, WithoutAModelNothingIsUnknown) {
  EXPECT_THAT(KeptFinder(nullptr, KeptKinds::all())("\u6771 {0}"), ElementsAre("{0}"));
}

}  // namespace
}  // namespace dietmt::nmt
