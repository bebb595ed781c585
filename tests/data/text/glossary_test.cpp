#include "data/text/glossary.h"

#include <gmock/gmock.h>

#include "common/error.h"
#include "tests/common/scratch.h"
#include "tests/common/test_directory.h"

namespace dietmt::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class GlossaryTest : public ScratchTest {
 protected:
  Glossary read(const std::string& text) { return Glossary::read(write("terms.tsv", text)); }
};

std::vector<std::string> found(const Glossary& glossary, const std::string& line) {
  std::vector<std::string> targets;
  for (const GlossaryTerm* term : glossary.find(line)) targets.push_back(term->target_text());
  return targets;
}

Glossary glossary_of(const std::vector<std::pair<std::string, std::string>>& terms) {
  std::vector<GlossaryTerm> all;
  for (const auto& [source, target] : terms) all.push_back(glossary_term(source, target));
  return Glossary(std::move(all));
}

TEST_F(GlossaryTest, TermsAreWrittenAsLinesAndReadAgain) {
  const std::vector<GlossaryTerm> terms =
      terms_of_lines("#1\tNummer 1|Nr. 1\r\n\n  print  job \tDruckauftrag", "entries");
  EXPECT_EQ(lines_of_terms(terms), "#1\tNummer 1|Nr. 1\nprint job\tDruckauftrag");
  EXPECT_EQ(lines_of_terms(terms_of_lines(lines_of_terms(terms), "")), lines_of_terms(terms));
  EXPECT_EQ(lines_of_terms({}), "");
  EXPECT_THAT(
      [] { terms_of_lines("a\tb\n\na\tc", "entries"); },
      testing::ThrowsMessage<DataError>(HasSubstr("entries:3: \"a\" is already in line 1")));
}

TEST_F(GlossaryTest, ReadsTermsAndSkipsCommentsAndEmptyLines) {
  const Glossary glossary =
      read("\xEF\xBB\xBF# hardware\n\nprinter\tDrucker\r\n  print  job \t Druckauftrag|Job \n");
  ASSERT_EQ(glossary.terms().size(), 2U);
  EXPECT_EQ(glossary.terms()[0].source, "printer");
  EXPECT_THAT(glossary.terms()[0].targets, ElementsAre("Drucker"));
  EXPECT_EQ(glossary.terms()[1].source, "print job");
  EXPECT_THAT(glossary.terms()[1].targets, ElementsAre("Druckauftrag", "Job"));
}

TEST_F(GlossaryTest, NamesTheLineOfAnError) {
  const auto message = [&](const std::string& text) {
    return message_of<DataError>([&] { read("ok\tgut\n" + text + "\n"); });
  };
  EXPECT_THAT(message("printer"), HasSubstr(".tsv:2: no tab"));
  EXPECT_THAT(message("a\tb\tc"), HasSubstr(".tsv:2: a second tab"));
  EXPECT_THAT(message("\tDrucker"), HasSubstr(".tsv:2: the source term is empty"));
  EXPECT_THAT(message("printer\tDrucker|"), HasSubstr(".tsv:2: the target term is empty"));
  EXPECT_THAT(message("\xff\tDrucker"),
              HasSubstr(".tsv:2: the source term is not UTF-8 at byte 1"));
  EXPECT_THAT(message("x\t" + std::string(201, 'a')),
              HasSubstr("201 characters; the limit is 200"));
  EXPECT_THAT(message("x\ta|b|c|d|e|f|g|h|i|j|k|l|m|n|o|p|q"),
              HasSubstr("17 target terms for \"x\"; the limit is 16"));
  EXPECT_THAT(message("ok\tschön"), HasSubstr(".tsv:2: \"ok\" is already in line 1"));
}

TEST(Glossary, FindsWholeWordsFromLeftToRight) {
  const Glossary glossary = glossary_of({{"printer", "D"}, {"job", "A"}});
  EXPECT_THAT(found(glossary, "The job: a printer, and a job."), ElementsAre("A", "D", "A"));
  EXPECT_THAT(found(glossary, "printers, reprinter, job2, job\xCC\x81"), IsEmpty());
  EXPECT_THAT(found(glossary, "(printer) \"job\" job-printer"), ElementsAre("D", "A", "A", "D"));
  EXPECT_THAT(found(glossary, ""), IsEmpty());
}

TEST(Glossary, FindsTheLongestTerm) {
  const Glossary glossary = glossary_of({{"print", "1"}, {"print job", "2"}, {"job queue", "3"}});
  EXPECT_THAT(found(glossary, "print a print  job queue"), ElementsAre("1", "2"));
}

TEST(Glossary, CapitalLettersDecideWhetherCaseMatters) {
  const Glossary glossary = glossary_of({{"it", "es"}, {"IT", "EDV"}, {"Word", "Word"}});
  EXPECT_THAT(found(glossary, "It IT it iT word Word WORD"),
              ElementsAre("es", "EDV", "es", "es", "Word"));
  EXPECT_THAT(found(glossary_of({{"übergrößen", "x"}}), "ÜBERGRÖßEN"), ElementsAre("x"));
  // Case folding changes the last letter.
  EXPECT_THAT(found(glossary_of({{"λόγος", "x"}}), "λόγος Λόγος ΛΌΓΟΣ"),
              ElementsAre("x", "x", "x"));
}

// As in the tokenizer and the corpus.
TEST(Glossary, FindsTermsHoweverTheirCharactersAreComposed) {
  const std::string composed = "caf\u00E9", decomposed = "cafe\u0301";
  for (const std::string& term : {composed, decomposed}) {
    const Glossary glossary = glossary_of({{term, "Gro\u0308\u00DFe"}});
    EXPECT_EQ(glossary.terms().front().source, composed);
    EXPECT_EQ(glossary.terms().front().targets.front(), "Gr\u00F6\u00DFe");
    for (const std::string& line : {composed, decomposed, std::string("the CAFE\u0301 on")}) {
      EXPECT_EQ(glossary.find(line).size(), 1U) << line;
      EXPECT_THAT(missing_terms(glossary.find(line), "Gro\u0308\u00DFe"), IsEmpty());
    }
  }
  EXPECT_THAT(found(glossary_of({{"PDF", "x"}, {"office", "y"}}), "\uFF30\uFF24\uFF26 o\uFB03ce"),
              ElementsAre("x", "y"));
  EXPECT_THAT(message_of<DataError>([&] {
                glossary_of({{composed, "x"}, {decomposed, "y"}});
              }),
              HasSubstr("two entries"));
}

// A step for each term length at each position, or for each pair of terms in different case, would
// take minutes.
TEST(Glossary, FindsInTimeOfTheLineAndNoMoreThanItsMost) {
  constexpr size_t kLong = 198, kTerms = 50'000, kLine = 2'000'000;
  std::vector<GlossaryTerm> terms;
  for (size_t length = 1; length <= kLong; ++length)
    terms.push_back(glossary_term("b" + std::string(length, 'b') + "x", "y"));
  for (size_t i = 0; i < kTerms; ++i) {
    std::string source = "wordsofmanyletters";
    for (size_t bit = 0; bit < source.size(); ++bit)
      if ((i >> bit & 1U) != 0) source[bit] = static_cast<char>(source[bit] - 'a' + 'A');
    terms.push_back(glossary_term(source, "y"));
  }
  const Glossary glossary(std::move(terms));
  std::string line;
  while (line.size() < kLine) line += "b wordsofmanyletterz bbb ";
  EXPECT_THAT(glossary.find(line), IsEmpty());
  line.clear();
  while (line.size() < kLine) line += "wordsofmanyletters ";
  EXPECT_EQ(glossary.find(line).size(), Glossary::kMostFound);
}

TEST(Glossary, NeedsNoSpacesBetweenWordsOfChinese) {
  const Glossary glossary = glossary_of({{"打印机", "printer"}, {"PDF", "pdf"}});
  EXPECT_THAT(found(glossary, "我的打印机打印PDF文件"), ElementsAre("printer", "pdf"));
}

TEST(Glossary, RefusesTwoEntriesForOneSource) {
  EXPECT_THAT(message_of<DataError>([] {
                glossary_of({{"a b", "x"}, {"a  b", "y"}});
              }),
              HasSubstr("two entries for \"a b\""));
}

std::vector<std::string> missing(const Glossary& glossary, const std::string& line,
                                 const std::string& translation) {
  std::vector<std::string> targets;
  for (const GlossaryTerm* term : missing_terms(glossary.find(line), translation))
    targets.push_back(term->target_text());
  return targets;
}

TEST(MissingTerms, AreThoseThatTheTranslationHasTooSeldom) {
  const Glossary glossary = glossary_of({{"printer", "Drucker"}, {"job", "Auftrag|Job"}});
  const std::string line = "printer job printer job";
  EXPECT_THAT(missing(glossary, line, "Drucker Job Auftrag Drucker"), IsEmpty());
  EXPECT_THAT(missing(glossary, line, "Druckers Job, Job"), ElementsAre("Drucker", "Drucker"));
  EXPECT_THAT(missing(glossary, line, "Drucker drucker Job"),
              ElementsAre("Drucker", "Auftrag|Job"));
}

TEST(MissingTerms, ASmallFirstLetterMayBeCapital) {
  const Glossary glossary = glossary_of({{"Drucker", "laser printer"}});
  EXPECT_THAT(missing(glossary, "Drucker", "Laser printer on"), IsEmpty());
  EXPECT_THAT(missing(glossary, "Drucker", "Laser Printer on"), ElementsAre("laser printer"));
}

TEST(MissingTerms, AFormOfSeveralTermsIsThatOfTheOneWithTheFewest) {
  const Glossary glossary =
      glossary_of({{"queue", "Warteschlange|Warteschlangen"}, {"queues", "Warteschlangen"}});
  const std::string line = "The queue is one of the queues";
  EXPECT_THAT(missing(glossary, line, "Eine der Warteschlangen ist die Warteschlange"), IsEmpty());
  EXPECT_THAT(missing(glossary, line, "die Warteschlangen"),
              ElementsAre("Warteschlange|Warteschlangen"));
  EXPECT_THAT(missing(glossary, line, "die Schlangen"),
              ElementsAre("Warteschlange|Warteschlangen", "Warteschlangen"));
}

TEST(MissingTerms, TheLongestCountsOnce) {
  const Glossary glossary = glossary_of({{"a", "Auftrag"}, {"b", "Auftrag im Druck"}});
  EXPECT_THAT(missing(glossary, "a b", "Auftrag im Druck"), ElementsAre("Auftrag"));
  EXPECT_THAT(missing(glossary, "a b", "Auftrag im Druck: Auftrag"), IsEmpty());
}

}  // namespace
}  // namespace dietmt::data
