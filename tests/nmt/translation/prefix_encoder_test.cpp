#include "nmt/translation/prefix_encoder.h"

#include <gmock/gmock.h>

#include "tests/data/fake_subwords.h"

namespace dietmt::nmt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Tokens = std::vector<int32_t>;

class Pieces : public data::FakeSubwords {
 public:
  explicit Pieces(std::string sentencepiece = "a model") : model_(std::move(sentencepiece)) {}

  data::SpannedPieces encode_with_spans(std::string_view) const override { return {}; }
  int64_t size() const override { return std::ssize(pieces_); }
  std::string piece(int32_t id) const override { return pieces_[static_cast<size_t>(id)]; }
  const std::string& sentencepiece() const override { return model_; }

 private:
  const std::vector<std::string> pieces_ = {"<unk>", "<s>", "</s>", "▁Der", "▁Hu", "▁Hund", "nd",
                                            "▁H",    "u",   "und",  ".",    "'",   "▁",     "狗"};
  const std::string model_;
};

enum : int32_t { kDer = 3, kHu, kHund, knd, kH, ku, kund, kDot, kApostrophe, kMark, kDog };

struct Opened {
  Tokens prefix;
  OpenWord word;
};

Opened opened(const std::string& text, Tokens pieces, const std::string& model = "a model") {
  const data::Tokenizer tokenizer("none", std::make_unique<const Pieces>(model));
  Opened made{std::move(pieces), {}};
  made.word = open_word(text, PieceIndex(tokenizer), made.prefix);
  return made;
}

TEST(OpenWord, TheLastWordMayGoOnAsAnyPieceThatBeginsWithIt) {
  const Opened one = opened("Der Hu", {kDer, kHu});
  EXPECT_THAT(one.prefix, ElementsAre(kDer));
  EXPECT_THAT(one.word.pieces, ElementsAre(kHu));
  EXPECT_THAT(one.word.choices, ElementsAre(Tokens{kHu, kHund}));
}

TEST(OpenWord, AWordOfSeveralPiecesIsLeftAtAnyOfThem) {
  const Opened two = opened("Der Hu", {kDer, kH, ku});
  EXPECT_THAT(two.prefix, ElementsAre(kDer));
  EXPECT_THAT(two.word.pieces, ElementsAre(kH, ku));
  EXPECT_THAT(two.word.choices, ElementsAre(Tokens{kHu, kHund, kH}, Tokens{ku, kund}));
  const Opened marked = opened("Hu", {kMark, ku});
  EXPECT_THAT(marked.prefix, IsEmpty());
  EXPECT_THAT(marked.word.choices, ElementsAre(Tokens{kMark}, Tokens{ku, kund}));
  EXPECT_THAT(opened("Der'u", {kDer, kApostrophe, ku}).prefix, ElementsAre(kDer, kApostrophe));
}

TEST(OpenWord, ASpaceEndsTheWord) {
  const Opened ended = opened("Der ", {kDer});
  EXPECT_THAT(ended.prefix, ElementsAre(kDer));
  EXPECT_THAT(ended.word.pieces, IsEmpty());
  EXPECT_THAT(ended.word.choices, ElementsAre(Tokens{2, kDer, kHu, kHund, kH, kMark}));
}

TEST(OpenWord, OtherTextsEndAsTheyAre) {
  EXPECT_THAT(opened("Der Hund.", {kDer, kHund, kDot}).word.choices, IsEmpty());
  EXPECT_THAT(opened("狗", {kMark, kDog}).word.choices, IsEmpty());
  EXPECT_THAT(opened("Derx", {kDer, 0}).word.choices, IsEmpty());
  const Opened cut = opened("Der Hu", {kDer, kHu}, "");
  EXPECT_THAT(cut.prefix, ElementsAre(kDer, kHu));
  EXPECT_THAT(cut.word.choices, IsEmpty());
}

}  // namespace
}  // namespace dietmt::nmt
