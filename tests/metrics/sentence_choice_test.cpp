#include "metrics/sentence_choice.h"

#include <gmock/gmock.h>

#include "common/error.h"
#include "tests/common/scratch.h"

namespace dietmt::metrics {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;
using Lines = std::vector<std::string>;

const Lines kSentences = {"a", "b", "c", "d"};
const Lines kOrigins = {"de", "en", "de", "fr"};
const Lines kDocuments = {"news.1", "blog.1", "news.1", "news.2"};

TEST(SentenceChoice, KeepsAnOriginOrAllOthers) {
  SentenceChoice german(4);
  EXPECT_THAT(german.of(kSentences), ElementsAre("a", "b", "c", "d"));
  german.keep_origin(kOrigins, "de");
  EXPECT_THAT(german.of(kSentences), ElementsAre("a", "c"));
  SentenceChoice others(4);
  others.keep_origin(kOrigins, "non-de");
  EXPECT_THAT(others.of(kSentences), ElementsAre("b", "d"));
}

TEST(SentenceChoice, KeepsDocumentsByAPattern) {
  SentenceChoice choice(4);
  choice.keep_documents(kDocuments, "^news");
  EXPECT_THAT(choice.of(kSentences), ElementsAre("a", "c", "d"));
  choice.keep_origin(kOrigins, "en");
  EXPECT_TRUE(choice.empty());
  SentenceChoice characters(2);  // not bytes
  characters.keep_documents({"Ä1", "b"}, "^(?i)ä.$");
  EXPECT_THAT(characters.of({"a", "b"}), ElementsAre("a"));
  SentenceChoice long_ids(1);  // without recursion per character
  EXPECT_NO_THROW(long_ids.keep_documents({std::string(100'000, 'a')}, "^.*b"));
  EXPECT_TRUE(long_ids.empty());
  EXPECT_THAT([] { SentenceChoice(4).keep_documents(kDocuments, "("); },
              ThrowsMessage<ConfigError>(HasSubstr("--subset ( is not a regular expression")));
}

TEST(SentenceChoice, NumbersDocumentsInTheOrderOfTheirFirstSentences) {
  const NumberedDocuments documents = number_documents(kDocuments);
  EXPECT_THAT(documents.ids, ElementsAre("news.1", "blog.1", "news.2"));
  EXPECT_THAT(documents.of_sentences, ElementsAre(0, 1, 0, 2));
}

class SentenceFiles : public ScratchTest {};

TEST_F(SentenceFiles, AreReadWithoutWhitespaceAtTheEnds) {
  EXPECT_THAT(read_sentences(write("text", "a \t\n b\r\n\n")), ElementsAre("a", " b", ""));
  EXPECT_THROW(read_sentences(write("empty", "")), DataError);
}

TEST_F(SentenceFiles, LabelsHaveALineForEachSentence) {
  const std::string file = write("labels", "de\nen\n");
  EXPECT_THAT(read_labels(file, 2), ElementsAre("de", "en"));
  EXPECT_THAT([&] { read_labels(file, 3); },
              ThrowsMessage<DataError>(HasSubstr("has 2 lines, but the texts have 3")));
}

}  // namespace
}  // namespace dietmt::metrics
