#include "data/tasks/tag_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/common/gzipped.h"
#include "tests/common/scratch.h"

namespace dietmt::data {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class TagReaderTest : public ScratchTest {
 protected:
  TaggedData read(const std::string& text, LabelUse use = LabelUse::kRequired,
                  const std::vector<std::string>& labels = {}) const {
    return read_tagged(write("tagged.tsv", text), labels, use);
  }

  std::string failure(const std::string& text, LabelUse use = LabelUse::kRequired,
                      const std::vector<std::string>& labels = {}) const {
    try {
      read(text, use, labels);
    } catch (const DataError& error) {
      return error.what();
    }
    return "no error";
  }
};

TEST_F(TagReaderTest, SentencesEndAtEmptyLines) {
  const TaggedData data =
      read("\n\xEF\xBB\xBFRome\tB-LOC\r\nis\tO\n\n \nOld \tB-LOC\nRome\tI-LOC\n\n\n");
  ASSERT_EQ(data.sentences.size(), 2U);
  EXPECT_THAT(data.labels, ElementsAre("B-LOC", "I-LOC", "O"));
  EXPECT_THAT(data.sentences[1].words, ElementsAre("Old", "Rome"));
  EXPECT_THAT(data.sentences[0].tags, ElementsAre(0, 2));
  EXPECT_EQ(data.sentences[1].line, 6);
  EXPECT_THAT(tags_of(data), ElementsAre(0, 2, 0, 1));
  EXPECT_THAT(named_tags(data, tags_of(data)),
              ElementsAre(ElementsAre("B-LOC", "O"), ElementsAre("B-LOC", "I-LOC")));
  EXPECT_EQ(data.summary(), "2 sentences of 4 words, 3 tags");
}

TEST_F(TagReaderTest, LanguagesBeforeAllWordsAreNoPartOfThem) {
  const TaggedData all = read("en:Rome\tB-LOC\nen::\tO\n\nen:10:30\tO\n");
  EXPECT_THAT(all.sentences[0].words, ElementsAre("Rome", ":"));
  EXPECT_THAT(all.sentences[1].words, ElementsAre("10:30"));
  const TaggedData some = read("re:Rome\tB-LOC\nis\tO\nre:it\tO\n");
  EXPECT_THAT(some.sentences[0].words, ElementsAre("re:Rome", "is", "re:it"));
  EXPECT_THAT(read("zh-yue:a\tO\n").sentences[0].words, ElementsAre("a"));
  EXPECT_THAT(read("10:30\tO\n").sentences[0].words, ElementsAre("10:30"));
}

TEST_F(TagReaderTest, TagsMayBeAbsentOrIgnored) {
  const TaggedData plain = read("Rome\nis\n", LabelUse::kIfPresent);
  EXPECT_FALSE(plain.labelled);
  EXPECT_THAT(plain.sentences[0].tags, IsEmpty());
  EXPECT_EQ(plain.summary(), "1 sentences of 2 words");
  EXPECT_TRUE(read("Rome\tO\n", LabelUse::kIfPresent).labelled);
  EXPECT_FALSE(read("Rome\t?\nis\n", LabelUse::kIgnored, {"O"}).labelled);
}

TEST_F(TagReaderTest, KnownTagsKeepTheirOrder) {
  const TaggedData data = read("a\tO\nb\tB-X\n", LabelUse::kRequired, {"O", "I-X", "B-X"});
  EXPECT_THAT(tags_of(data), ElementsAre(0, 2));
  EXPECT_THAT(data.labels, ElementsAre("O", "I-X", "B-X"));
}

TEST_F(TagReaderTest, WrongLinesAreNamed) {
  EXPECT_THAT(failure("a\tO\nb\tc\tO\n"),
              HasSubstr("tagged.tsv:2: 3 columns, expected a word and its tag"));
  EXPECT_THAT(failure("a\n"), HasSubstr("tagged.tsv:1: no tag; expected a word, a tab"));
  EXPECT_THAT(failure("a\tO\nb\n", LabelUse::kIfPresent), HasSubstr("tagged.tsv:2: no tag"));
  EXPECT_THAT(failure("a\nb\tO\n", LabelUse::kIfPresent),
              HasSubstr("tagged.tsv:2: a tag, although the words before have none"));
  EXPECT_THAT(failure("a\t\n"), HasSubstr("tagged.tsv:1: the label is empty"));
  EXPECT_THAT(failure("a\tX\n", LabelUse::kRequired, {"O", "B"}),
              HasSubstr("tagged.tsv:1: label 'X', expected one of 'O', 'B'"));
  EXPECT_THAT(failure("\n \n"), HasSubstr("tagged.tsv: no words"));
  std::string many;
  for (int i = 0; i <= 1000; ++i) many += "w\t" + std::to_string(i) + "\n";
  EXPECT_THAT(failure(many), HasSubstr("tagged.tsv:1001: more than 1000 different labels"));
}

TEST_F(TagReaderTest, BytesThatAreNotUtf8AreReplacedAndCounted) {
  const TaggedData data = read("a\tO\nb\xFF\tO\n");
  EXPECT_EQ(data.sentences[0].words[1], "b\uFFFD");
  EXPECT_THAT(data.summary(), HasSubstr("1 words with bytes that are not UTF-8"));
  EXPECT_THAT(data.summary(), HasSubstr("tagged.tsv:2"));
}

TEST_F(TagReaderTest, CompressedFilesAreRead) { EXPECT_EQ(read(gzipped("a\tO\n")).words(), 1); }

}  // namespace
}  // namespace dietmt::data
