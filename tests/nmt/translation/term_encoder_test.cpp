#include "nmt/translation/term_encoder.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "data/text/source_tag.h"
#include "data/text/word_text.h"
#include "tests/data/fake_subwords.h"

namespace dietmt::nmt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Tokens = std::vector<int32_t>;

// Every character is a piece, except that a word's first one includes the mark; 0 is unknown.
class Characters : public data::FakeSubwords {
 public:
  explicit Characters(std::string bracket = "▁(")
      : pieces_{"<unk>", "▁a",  "a", "▁b", "b", "▁A", "A", "▁x", "x", ".", "1", std::move(bracket),
                "打",    "▁打", "印"} {}

  data::SpannedPieces encode_with_spans(std::string_view text) const override {
    data::SpannedPieces made;
    std::string mark(data::kWordBegin);
    for (const auto& c : data::source_characters(text, 0, static_cast<int32_t>(text.size()))) {
      if (c.code == ' ') {
        mark = data::kWordBegin;
        continue;
      }
      const auto found = std::ranges::find(pieces_, mark + data::utf8_of({&c.code, 1}));
      made.ids.push_back(found == pieces_.end() ? 0
                                                : static_cast<int32_t>(found - pieces_.begin()));
      made.spans.push_back({c.begin, c.end});
      mark.clear();
    }
    return made;
  }
  int64_t size() const override { return std::ssize(pieces_); }
  std::string piece(int32_t id) const override { return pieces_[static_cast<size_t>(id)]; }

 private:
  const std::vector<std::string> pieces_;
};

TermConstraints constraints(const std::vector<data::GlossaryTerm>& terms,
                            int64_t most_length = 1000) {
  static const auto characters = data::fake_tokenizer<Characters>();
  std::vector<const data::GlossaryTerm*> pointers;
  for (const data::GlossaryTerm& term : terms) pointers.push_back(&term);
  return TermEncoder(*characters).constraints(pointers, most_length);
}

data::GlossaryTerm term(const std::string& target) { return data::glossary_term("s", target); }

TEST(TermEncoder, GivesTheFormsOfATermWithAndWithoutSpaceBefore) {
  const auto found = constraints({term("x b"), term("ab|x")});
  ASSERT_EQ(found.terms.size(), 2U);
  EXPECT_THAT(found.terms[0], ElementsAre(Tokens{7, 3}, Tokens{8, 3}));
  EXPECT_THAT(found.terms[1], ElementsAre(Tokens{1, 4}, Tokens{2, 4}, Tokens{5, 4}, Tokens{6, 4},
                                          Tokens{7}, Tokens{8}));
}

// For a model for Chinese, whose text has full-width brackets.
TEST(TermEncoder, NeedsNoBracketForTheFormWithoutSpace) {
  const data::Tokenizer tokenizer("none", std::make_unique<const Characters>("▁（"));
  const data::GlossaryTerm print = term("打印");
  const data::GlossaryTerm* const terms[] = {&print};
  const auto found = TermEncoder(tokenizer).constraints(terms, 100);
  ASSERT_EQ(found.terms.size(), 1U);
  EXPECT_THAT(found.terms[0], ElementsAre(Tokens{13, 14}, Tokens{12, 14}));
}

TEST(TermEncoder, LeavesOutWhatTheVocabularyCannotWrite) {
  EXPECT_THAT(constraints({term("q"), term("aq")}).terms, IsEmpty());
  EXPECT_EQ(constraints({term("q"), term("x")}).terms.size(), 1U);
  EXPECT_EQ(constraints({term("q"), term("x")}).terms[0][0], Tokens{7});
  EXPECT_THAT(constraints({}).words, testing::IsNull());
}

TEST(TermEncoder, KnowsWhichPiecesAreInsideWords) {
  const auto words = constraints({term("x")}).words;
  ASSERT_TRUE(words);
  const auto ids = [](const std::vector<bool>& pieces) {
    std::vector<size_t> found;
    for (size_t id = 0; id < pieces.size(); ++id)
      if (pieces[id]) found.push_back(id);
    return found;
  };
  EXPECT_THAT(ids(words->begins_inside), ElementsAre(2, 4, 6, 8, 10));
  EXPECT_THAT(ids(words->needs_space), ElementsAre(9));
  EXPECT_THAT(ids(words->ends_inside), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 10));
}

TEST(TermEncoder, HasLimits) {
  EXPECT_EQ(constraints(std::vector<data::GlossaryTerm>(70, term("x"))).terms.size(),
            TermConstraints::kMost);
  const std::string longest(data::GlossaryTerm::kMaxCharacters, 'x');
  EXPECT_EQ(constraints(std::vector<data::GlossaryTerm>(10, term(longest))).terms.size(), 2U);
}

// With end of sentence; a term counts as its shortest form.
TEST(TermEncoder, LeavesOutTermsThatNoTranslationHasRoomFor) {
  const std::vector<data::GlossaryTerm> terms(3, term("x b"));  // two tokens each
  EXPECT_EQ(constraints(terms, 4).terms.size(), 1U);
  EXPECT_EQ(constraints(terms, 5).terms.size(), 2U);
  EXPECT_EQ(constraints({term(std::string(200, 'x')), term("x")}, 50).terms.size(), 0U);
}

TEST(GlossaryProblem, NeedsABeamUnlessItSamples) {
  EXPECT_EQ(glossary_problem({.beam = 2}), "");
  EXPECT_THAT(glossary_problem({.beam = 1}), testing::HasSubstr("--beam 2"));
  EXPECT_EQ(glossary_problem({.beam = 1, .sample = true}), "");
}

}  // namespace
}  // namespace dietmt::nmt
