#include "nmt/search/term_encoder.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "data/text/source_tag.h"
#include "data/text/word_text.h"

namespace dietmt::nmt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Tokens = std::vector<int32_t>;

// Every character is a piece, except that a word's first one has the mark in it; 0 is unknown.
class Characters {
 public:
  TargetPieces pieces() const {
    return {.encode = [this](std::string_view text) { return encode(text); },
            .piece = [this](int32_t id) { return pieces_[static_cast<size_t>(id)]; },
            .vocabulary = std::ssize(pieces_),
            .unknown = 0};
  }

  Tokens encode(std::string_view text) const {
    Tokens tokens;
    std::string mark(data::kWordBegin);
    for (const char32_t c : data::characters_of(text)) {
      if (c == ' ') {
        mark = data::kWordBegin;
        continue;
      }
      const auto found = std::ranges::find(pieces_, mark + data::utf8_of({&c, 1}));
      tokens.push_back(found == pieces_.end() ? 0 : static_cast<int32_t>(found - pieces_.begin()));
      mark.clear();
    }
    return tokens;
  }

 private:
  const std::vector<std::string> pieces_ = {"<unk>", "▁a", "a", "▁b", "b",  "▁A",  "A", "▁x",
                                            "x",     ".",  "1", "▁(", "打", "▁打", "印"};
};

TermConstraints constraints(const std::vector<data::GlossaryTerm>& terms) {
  static const Characters characters;
  std::vector<const data::GlossaryTerm*> pointers;
  for (const data::GlossaryTerm& term : terms) pointers.push_back(&term);
  return TermEncoder(characters.pieces()).constraints(pointers);
}

data::GlossaryTerm term(const std::string& target) { return data::glossary_term("s", target); }

TEST(TermEncoder, GivesTheFormsOfATermWithAndWithoutSpaceBefore) {
  const auto found = constraints({term("x b"), term("ab|x")});
  ASSERT_EQ(found.terms.size(), 2U);
  EXPECT_THAT(found.terms[0], ElementsAre(Tokens{7, 3}, Tokens{8, 3}));
  EXPECT_THAT(found.terms[1], ElementsAre(Tokens{1, 4}, Tokens{2, 4}, Tokens{5, 4}, Tokens{6, 4},
                                          Tokens{7}, Tokens{8}));
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

TEST(GlossaryProblem, NeedsBeamSearchWithABeam) {
  EXPECT_EQ(glossary_problem({.beam = 2}), "");
  EXPECT_THAT(glossary_problem({.beam = 1}), testing::HasSubstr("--beam 2"));
  EXPECT_THAT(glossary_problem({.sample = true}), testing::HasSubstr("--sample"));
}

}  // namespace
}  // namespace dietmt::nmt
