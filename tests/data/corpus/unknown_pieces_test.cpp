#include "data/corpus/unknown_pieces.h"

#include <gmock/gmock.h>

#include "common/error.h"
#include "data/corpus/parallel_corpus.h"
#include "tests/common/log_capture.h"
#include "tests/data/toy_text.h"

namespace dietmt::data {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class UnknownPiecesTest : public ToyTextTest {
 protected:
  static UnknownPieces of(const std::string& text) {
    UnknownPieces unknown;
    unknown.add(tokenizer(), text, tokenizer().encode(text));
    return unknown;
  }

  // Lines of the toy text and one with a character that the vocabulary lacks.
  std::string text_with_unknown(size_t lines) const {
    std::string text;
    for (size_t i = 0; i < lines; ++i) text += text_.source[i] + '\n';
    return text + "tuba \u6F22 riko\n";
  }

  ParallelCorpus opened(const std::string& source, bool allows_unknown) const {
    const CorpusFiles files{.source = source, .target = source, .allows_unknown = allows_unknown};
    return ParallelCorpus({files}, tokenizer(), tokenizer(), LengthFilter(), scratch() / "cache", 1,
                          SentenceContext(), CacheUse::kUpToDate);
  }
};

TEST_F(UnknownPiecesTest, CharactersAreCounted) {
  UnknownPieces unknown = of("tuba \u6F22\u6F22 riko \u00DF");
  unknown += of("\u6F22 \u0416\u0416");
  EXPECT_GT(unknown.share(), 0.0);
  EXPECT_EQ(unknown.characters(2), "\u6F22 (U+6F22) 3 times, \u0416 (U+0416) 2 times");
  EXPECT_EQ(of("tuba riko").share(), 0.0);
  EXPECT_EQ(UnknownPieces().share(), 0.0);
}

TEST_F(UnknownPiecesTest, FewAreNoticedAndManyRefused) {
  const LogCapture none;
  of("tuba riko").check("text", tokenizer(), false);
  EXPECT_THAT(none.text(), IsEmpty());

  UnknownPieces few = of("tuba \u6F22 riko");
  for (int i = 0; i < 20; ++i) few += of("tuba riko tuba riko");
  ASSERT_LT(few.share(), UnknownPieces::kRefused);
  const LogCapture noticed;
  few.check("train.en", tokenizer(), false);
  EXPECT_THAT(noticed.text(), AllOf(HasSubstr("train.en: "), HasSubstr("\u6F22 (U+6F22) 1 times")));

  try {
    of("\u6F22 \u0416").check("train.en", tokenizer(), false);
    FAIL() << "no error";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("train.en: "), HasSubstr("--allow-unknown")));
  }
  of("\u6F22 \u0416").check("train.en", tokenizer(), true);
}

TEST_F(UnknownPiecesTest, CorporaAreChecked) {
  const std::string many = write("many", "\u6F22 \u0416\ntuba\n");
  EXPECT_THROW(opened(many, false), DataError);
  EXPECT_THROW(opened(many, false), DataError) << "no cache is left that hides it";
  const LogCapture log;
  EXPECT_EQ(opened(many, true).size(), 2);
  EXPECT_THAT(log.text(), HasSubstr("many: "));
  const LogCapture quiet;
  EXPECT_EQ(opened(write("few", text_with_unknown(500)), false).size(), 501);
}

}  // namespace
}  // namespace dietmt::data
