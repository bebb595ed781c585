#include "nmt/search/suppressed_tokens.h"

#include <gmock/gmock.h>

#include "common/error.h"
#include "nmt/search/token_limits.h"
#include "tests/data/fake_subwords.h"

namespace dietmt::nmt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;
using testing::UnorderedElementsAre;

using Ids = std::vector<int32_t>;

class FewPieces : public data::FakeSubwords {
 public:
  data::SpannedPieces encode_with_spans(std::string_view) const override { return {}; }
  int64_t size() const override { return std::ssize(pieces_); }
  std::string piece(int32_t id) const override { return pieces_[static_cast<size_t>(id)]; }

 private:
  const std::vector<std::string> pieces_ = {"<unk>", "<s>", "</s>", "a", "b", "c"};
};

const data::Tokenizer& few_pieces() {
  static const data::Tokenizer all("none", std::make_unique<const FewPieces>());
  return all;
}

Ids suppressed_after(const Ids& tokens, int64_t tags = 0) {
  const SuppressedTokens suppressed({{3}, {4, 5}, {3, 4, 6}, {4, 4}, {9, 4, 7}}, {8});
  Ids ends;
  suppressed.add_ends(tokens, tags, ends);
  return ends;
}

TEST(SuppressedTokens, DependOnTheTokensBefore) {
  EXPECT_THAT(suppressed_after({5}), ElementsAre(3));
  EXPECT_THAT(suppressed_after({4}), UnorderedElementsAre(3, 5, 4));
  EXPECT_THAT(suppressed_after({9, 3, 4}), UnorderedElementsAre(3, 5, 4, 6));
  EXPECT_THAT(suppressed_after({3, 4, 9}), ElementsAre(3));
}

TEST(SuppressedTokens, AtTheStartFollowTheLanguage) {
  EXPECT_THAT(suppressed_after({}), ElementsAre(3, 8));
  EXPECT_THAT(suppressed_after({20}, 1), ElementsAre(3, 8));
  EXPECT_THAT(suppressed_after({20}), ElementsAre(3));
  EXPECT_THAT(suppressed_after({20, 21}, 1), ElementsAre(3));
}

TEST(SuppressedTokens, AreBlocked) {
  SearchTask task;
  task.unscored = 1;
  task.suppressed =
      suppressed_tokens({.sequences = {{"a"}, {"b", "c"}}, .first = {"</s>"}}, few_pieces());
  const TokenLimits limits({}, SpecialTokens{}, task);
  EXPECT_TRUE(limits.any());
  EXPECT_THAT(limits.after(Ids{4}).blocked, ElementsAre(2, 3, 5));
  EXPECT_THAT(limits.after(Ids{4, 5}).blocked, ElementsAre(3));
}

TEST(SuppressedTokens, ArePiecesOfTheVocabulary) {
  EXPECT_EQ(suppressed_tokens({}, few_pieces()), nullptr);
  EXPECT_THAT(
      []() {
        suppressed_tokens({.sequences = {{"a", "d"}}}, few_pieces(), "config.json");
      },
      ThrowsMessage<CheckpointError>(HasSubstr(
          "config.json: search: suppressed has the piece 'd', which the vocabulary lacks")));
}

}  // namespace
}  // namespace dietmt::nmt
