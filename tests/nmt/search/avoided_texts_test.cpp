#include "nmt/search/avoided_texts.h"

#include <gmock/gmock.h>

#include "nmt/search/token_limits.h"
#include "tests/data/fake_subwords.h"

namespace dietmt::nmt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Tokens = std::vector<int32_t>;

class Pieces : public data::FakeSubwords {
 public:
  data::SpannedPieces encode_with_spans(std::string_view) const override { return {}; }
  int64_t size() const override { return std::ssize(pieces_); }
  std::string piece(int32_t id) const override { return pieces_[static_cast<size_t>(id)]; }

 private:
  const std::vector<std::string> pieces_ = {"<unk>", "<s>", "</s>", "▁Haus", "▁Ha",
                                            "us",    "(",   "Ha",   "▁das",  "▁"};
};

enum : int32_t { kHaus = 3, kHa, kus, kBracket, kHaInside, kdas, kMark };

const data::Tokenizer& tokenizer() {
  static const data::Tokenizer all("none", std::make_unique<const Pieces>());
  return all;
}

const std::vector<AvoidedTexts::End> kEnds = {{"", kHaus, true}, {"Ha", kus, false}};

Tokens ends_after(const Tokens& tokens) {
  Tokens ends;
  AvoidedTexts(tokenizer(), kEnds).add_ends(tokens, ends);
  return ends;
}

TEST(AvoidedTexts, EndsFollowTheirBeginningsHoweverTheseAreSpelt) {
  EXPECT_THAT(ends_after({}), ElementsAre(kHaus));
  EXPECT_THAT(ends_after({kdas, kHa}), ElementsAre(kHaus, kus));
  EXPECT_THAT(ends_after({kMark, kHaInside}), ElementsAre(kHaus, kus));
  EXPECT_THAT(ends_after({kBracket, kHaInside}), ElementsAre(kHaus, kus));
  EXPECT_THAT(ends_after({kHa, kdas}), ElementsAre(kHaus));
}

TEST(AvoidedTexts, APartOfAnotherWordIsNoBeginning) {
  EXPECT_THAT(ends_after({kdas, kHaInside}), ElementsAre(kHaus));
}

TEST(AvoidedTexts, AreBlocked) {
  const auto texts = std::make_shared<const AvoidedTexts>(tokenizer(), kEnds);
  SearchTask task;
  task.avoided = texts;
  const TokenLimits limits({.repetition_penalty = 2}, SpecialTokens{}, task);
  EXPECT_TRUE(TokenLimits({}, SpecialTokens{}, task).any());
  const LimitedTokens found = limits.after(Tokens{kdas, kHa});
  EXPECT_THAT(found.blocked, ElementsAre(kHaus, kus));
  EXPECT_THAT(found.penalized, ElementsAre(kHa, kdas));
  EXPECT_THAT(TokenLimits({}, SpecialTokens{}).after(Tokens{kHa}).blocked, IsEmpty());
}

}  // namespace
}  // namespace dietmt::nmt
