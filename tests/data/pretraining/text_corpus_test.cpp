#include "data/pretraining/text_corpus.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <chrono>
#include <thread>

#include "common/error.h"
#include "tests/common/file_size_limit.h"
#include "tests/common/gzipped.h"
#include "tests/common/standard_input.h"
#include "tests/data/pretraining/word_tokenizer.h"

namespace dietmt::data {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Documents = std::vector<std::vector<std::string>>;
using Files = std::vector<std::string>;

class TextCorpusTest : public ScratchTest {
 protected:
  TextCorpusTest() : tokenizer_({"a", "b", "c", "d", "=", "\xC3\xBC"}) {}

  fs::path cache_file() const { return scratch() / "cache"; }

  TextCorpus corpus_of(const Files& files, const TextOptions& options = {},
                       int64_t threads = 2) const {
    return TextCorpus(files, tokenizer_, options, cache_file(), threads);
  }

  // The documents as text.
  Documents documents(const TextCorpus& corpus) const {
    Documents documents;
    for (int64_t d = 0; d < corpus.documents(); ++d) {
      documents.emplace_back();
      for (int64_t s = corpus.first_sentence(d); s < corpus.first_sentence(d + 1); ++s)
        documents.back().push_back(tokenizer_.decode(corpus.sentence(s)));
    }
    return documents;
  }

  std::string error_of(const Files& files, const TextOptions& options = {}) const {
    try {
      corpus_of(files, options);
    } catch (const Error& error) {
      for (const auto& entry : fs::directory_iterator(scratch()))
        EXPECT_THAT(entry.path().filename().string(), Not(HasSubstr("dietmt-tmp")));
      return error.what();
    }
    return "no error";
  }

  // Changes when the cache is rewritten.
  ino_t inode() const {
    struct stat status = {};
    EXPECT_EQ(::stat(cache_file().c_str(), &status), 0);
    return status.st_ino;
  }

  static TextOptions divided_by(const std::string& name) {
    TextOptions options;
    options.boundary = parse_document_boundary(name);
    return options;
  }

  const WordTokenizer tokenizer_;
};

TEST_F(TextCorpusTest, EmptyLinesAndFilesEndDocuments) {
  const Files files = {write("one", "\n\na b\nc\n\n \t\r\n\nd\na"), write("two", "b\n\n")};
  const TextCorpus corpus = corpus_of(files);
  EXPECT_THAT(documents(corpus),
              ElementsAre(ElementsAre("a b", "c"), ElementsAre("d", "a"), ElementsAre("b")));
  EXPECT_EQ(corpus.documents(), 3);
  EXPECT_EQ(corpus.sentences(), 5);
  EXPECT_EQ(corpus.tokens(), 6);
  EXPECT_EQ(corpus.report().documents, 3);
  EXPECT_EQ(corpus.report().sentences, 5);
  EXPECT_EQ(corpus.report().tokens, 6);
  EXPECT_EQ(corpus.report().lines, 11);
}

TEST_F(TextCorpusTest, LinesOrTitlesMayDivideDocuments) {
  const Files files = {write("text", " = a = \n \nb c\n\n = = b = = \nd\n = c = \na\n")};
  EXPECT_THAT(
      documents(corpus_of(files, divided_by("title"))),
      ElementsAre(ElementsAre("= a =", "b c", "= = b = =", "d"), ElementsAre("= c =", "a")));
  EXPECT_EQ(documents(corpus_of(files, divided_by("every-line"))).size(), 6U);
  EXPECT_THAT(documents(corpus_of(files, divided_by("empty-line"))),
              ElementsAre(ElementsAre("= a ="), ElementsAre("b c"),
                          ElementsAre("= = b = =", "d", "= c =", "a")));
  EXPECT_THROW(divided_by("page"), ConfigError);
}

TEST_F(TextCorpusTest, GzipIsText) {
  const TextCorpus corpus = corpus_of({write("text.gz", gzipped("a b\n\nc\n"))});
  EXPECT_THAT(documents(corpus), ElementsAre(ElementsAre("a b"), ElementsAre("c")));
}

TEST_F(TextCorpusTest, TokensAreReadAndPlaced) {
  const TextCorpus corpus = corpus_of({write("text", "a b\nc\n\nd\n\na\nb c d\n")});
  std::vector<int32_t> all = {7};
  corpus.read(0, 3, all);
  corpus.read(3, corpus.tokens(), all);
  EXPECT_EQ(tokenizer_.decode(all), "c a b c d a b c d");
  std::vector<int64_t> places;
  for (int64_t token = 0; token < corpus.tokens(); ++token)
    places.push_back(corpus.document_of(token));
  EXPECT_THAT(places, ElementsAre(0, 0, 0, 1, 2, 2, 2, 2));
}

TEST_F(TextCorpusTest, TheReportCountsWhatIsWrong) {
  TextOptions options;
  options.max_line_bytes = 8;
  const Files files = {
      write("text", "a who b\n~ ~\na \xFF b\n\n~\nb a b c d\nb c d\xC3\xBC\xC3\xBC\n")};
  const TextCorpus corpus = corpus_of(files, options);
  EXPECT_THAT(documents(corpus),
              ElementsAre(ElementsAre("a b", "a b"), ElementsAre("b a b c", "b c")));
  const TextReport& report = corpus.report();
  EXPECT_EQ(report.lines, 7);
  EXPECT_EQ(report.documents, 2);
  EXPECT_EQ(report.sentences, 4);
  EXPECT_EQ(report.unknown, 3);
  EXPECT_EQ(report.not_utf8, 1);
  EXPECT_EQ(report.cut, 2);
  EXPECT_EQ(report.no_piece, 2);
  EXPECT_EQ(report.summary(),
            "2 documents, 4 sentences, 13 tokens (3 unknown) from 7 lines (1 not UTF-8, 2 too long "
            "and cut, 2 without any piece)");
}

TEST_F(TextCorpusTest, LinesThatAreNotUtf8CanBeSkippedOrRefused) {
  const Files files = {write("text", "a b\na \xFF b\nb c\n")};
  TextOptions options;
  EXPECT_EQ(corpus_of(files, options).sentences(), 3);
  options.invalid_utf8 = InvalidUtf8::kSkip;
  const TextCorpus skipped = corpus_of(files, options);
  EXPECT_THAT(documents(skipped), ElementsAre(ElementsAre("a b", "b c")));
  EXPECT_EQ(skipped.report().not_utf8, 1);
  options.invalid_utf8 = InvalidUtf8::kRefuse;
  EXPECT_THROW(corpus_of(files, options), DataError);
}

TEST_F(TextCorpusTest, ACutEndsBetweenCharacters) {
  TextOptions options;
  options.max_line_bytes = 4;
  const TextCorpus corpus =
      corpus_of({write("text", "a \xC3\xBC \xC3\xBC\na b\xC3\xBC\n")}, options);
  EXPECT_THAT(documents(corpus), ElementsAre(ElementsAre("a \xC3\xBC", "a b")));
  options.max_line_bytes = 3;
  EXPECT_THAT(documents(corpus_of({(scratch() / "text").string()}, options)),
              ElementsAre(ElementsAre("a", "a b")));
}

TEST_F(TextCorpusTest, ThreadsDoNotChangeTheContent) {
  const WordTokenizer numbers(numbered_words(200'000));
  const Files files = {write("many", numbered_text(200'000, 3))};
  TextCorpus(files, numbers, {}, cache_file(), 1);
  const uint32_t one_thread = file_crc32(cache_file());
  fs::remove(cache_file());
  const TextCorpus corpus(files, numbers, {}, cache_file(), 5);
  EXPECT_EQ(file_crc32(cache_file()), one_thread);
  ASSERT_EQ(corpus.tokens(), 200'000);
  ASSERT_GT(corpus.sentences(), 3 * 4096) << "several chunks are wanted";
  std::vector<int32_t> all;
  corpus.read(0, corpus.tokens(), all);
  for (int32_t i = 0; i < 200'000; ++i) ASSERT_EQ(all[static_cast<size_t>(i)], kFirstWord + i);
}

TEST_F(TextCorpusTest, StandardInputIsReadEachTime) {
  for (int run = 0; run < 2; ++run) {
    StandardInput input;
    std::jthread writer([&] {
      input.send(run == 0 ? "a b\n" : "c\n\nd\n");
      input.close();
    });
    EXPECT_EQ(corpus_of({"-"}).documents(), 1 + run);
  }
}

TEST_F(TextCorpusTest, TheCacheIsUsedAgain) {
  const Files files = {write("text", "a who\n\nb\n")};
  corpus_of(files);
  const ino_t first = inode();
  const TextCorpus again = corpus_of(files, {}, 1);
  EXPECT_EQ(inode(), first);
  EXPECT_EQ(again.documents(), 2);
  EXPECT_EQ(again.report().unknown, 1);
}

TEST_F(TextCorpusTest, AChangedFileTokenizerOrOptionMakesANewCache) {
  const Files files = {write("text", "a b\n\nc who\n")};
  const TextCorpus oldest = corpus_of(files);
  ino_t last = inode();

  fs::last_write_time(files[0], fs::last_write_time(files[0]) + std::chrono::microseconds(1));
  corpus_of(files);
  EXPECT_NE(inode(), std::exchange(last, inode())) << "modification time";

  corpus_of(files, divided_by("every-line"));
  EXPECT_NE(inode(), std::exchange(last, inode())) << "what divides documents";

  TextOptions options;
  options.max_line_bytes = 100;
  corpus_of(files, options);
  EXPECT_NE(inode(), std::exchange(last, inode())) << "line length";

  const WordTokenizer other({"who", "a", "b", "c"});
  const TextCorpus with_other(files, other, options, cache_file(), 1);
  EXPECT_NE(inode(), std::exchange(last, inode())) << "tokenizer";
  EXPECT_EQ(with_other.report().unknown, 0);

  EXPECT_EQ(documents(oldest).size(), 2U);  // still maps the file that was replaced
}

TEST_F(TextCorpusTest, ADamagedCacheIsMadeAnew) {
  const Files files = {write("text", "a b\nc\n\nd a b\n")};
  corpus_of(files);
  const std::string whole = read_file(cache_file());
  std::string fewer_sentences = whole;
  fewer_sentences[whole.size() - 4 - 24 - 8] ^= 1;  // the last bound of the sentences
  std::string other_documents = whole;
  other_documents[whole.size() - 4 - 8] ^= 64;
  for (const std::string& damaged :
       {whole.substr(0, whole.size() - 8), whole.substr(0, 10), std::string(), "x" + whole,
        std::string(whole.size(), '\0'), whole + whole, fewer_sentences, other_documents}) {
    write_file_atomically(cache_file(), damaged);
    EXPECT_EQ(documents(corpus_of(files)), (Documents{{"a b", "c"}, {"d a b"}}));
    EXPECT_EQ(read_file(cache_file()), whole);
  }
}

TEST_F(TextCorpusTest, AFullDiskIsAClearErrorAndLeavesNothing) {
  const Files files = {write("text", numbered_text(5'000, 1))};
  const FileSizeLimit limit(10'000);
  EXPECT_THAT(error_of(files), AllOf(HasSubstr("cache"), HasSubstr("File too large")));
  EXPECT_FALSE(fs::exists(cache_file()));
}

TEST_F(TextCorpusTest, MistakesNameTheFile) {
  const std::string good = write("good", "a\n");
  EXPECT_THAT(error_of({good, write("empty", "")}), HasSubstr("empty: the file has no text"));
  EXPECT_THAT(error_of({write("blank", "\n \n\n"), good}),
              HasSubstr("blank: the file has no text"));
  EXPECT_THAT(error_of({good, (scratch() / "absent").string()}), HasSubstr("absent"));
  EXPECT_THAT(error_of({write("tildes", "~\n~\n")}),
              AllOf(HasSubstr("tildes: no sentence is left"), HasSubstr("2 without any piece")));
  EXPECT_THAT(error_of({}), HasSubstr("at least one"));
  TextOptions options;
  options.max_line_bytes = 0;
  EXPECT_THAT(error_of({good}, options), HasSubstr("at least 1 byte"));
}

TEST_F(TextCorpusTest, OneWordIsACorpus) {
  const TextCorpus corpus = corpus_of({write("text", "a")});
  EXPECT_THAT(documents(corpus), ElementsAre(ElementsAre("a")));
}

}  // namespace
}  // namespace dietmt::data
