#include "data/corpus/parallel_corpus.h"

#include <gmock/gmock.h>

#include <thread>

#include "common/error.h"
#include "common/files.h"
#include "data/corpus/parallel_reader.h"
#include "data/text/tokenizer_training.h"
#include "tests/common/gzipped.h"
#include "tests/common/standard_input.h"
#include "tests/data/corpus/parallel_corpus_fixture.h"

namespace dietmt::data {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::Not;
using Files = std::vector<std::string>;

TEST_F(ParallelCorpusTest, HoldsWhatTheTokenizerGives) {
  const ParallelCorpus corpus = toy_corpus();
  expect_toy_text(corpus);
  const CorpusReport& report = corpus.report();
  EXPECT_EQ(report.lines, 600);
  EXPECT_EQ(report.kept, 600);
  int64_t source_tokens = 0, target_tokens = 0;
  for (int64_t pair = 0; pair < corpus.size(); ++pair) {
    source_tokens += std::ssize(corpus.source(pair));
    target_tokens += std::ssize(corpus.target(pair));
  }
  EXPECT_EQ(report.source_tokens, source_tokens);
  EXPECT_EQ(report.target_tokens, target_tokens);
}

TEST_F(ParallelCorpusTest, SidesMayHaveTokenizersOfTheirOwn) {
  TokenizerOptions options;
  options.inputs = {target_file()};
  options.vocabulary_size = 60;
  train_tokenizer(options, scratch() / "other.model");
  const Tokenizer other(scratch() / "other.model");
  const ParallelCorpus corpus({{source_file(), target_file()}}, tokenizer(), other, {},
                              cache_folder(), 1);
  std::vector<int32_t> expected = other.encode(text_.target[5]);
  expected.push_back(other.end_id());
  EXPECT_THAT(corpus.target(5), ElementsAreArray(expected));
  EXPECT_THAT(corpus.source(5), ElementsAreArray(sentence(text_.source[5])));
}

TEST_F(ParallelCorpusTest, FilesAreConcatenated) {
  const auto part = [](const std::vector<std::string>& lines, size_t begin, size_t end) {
    return joined_lines({lines.begin() + static_cast<ptrdiff_t>(begin),
                         lines.begin() + static_cast<ptrdiff_t>(end)});
  };
  const Files sources = {write("s1", part(text_.source, 0, 100)),
                         write("s2", gzipped(part(text_.source, 100, 600)))};
  const Files targets = {write("t1.gz", gzipped(part(text_.target, 0, 100))),
                         write("t2", part(text_.target, 100, 600))};
  expect_toy_text(corpus_of(sources, targets));
}

TEST_F(ParallelCorpusTest, StandardInputIsReadEachTime) {
  for (int run = 0; run < 2; ++run) {
    StandardInput input;
    std::jthread writer([&] {
      input.send(joined_lines(text_.source));
      input.close();
    });
    expect_toy_text(corpus_of({"-"}, {target_file()}));
  }
}

TEST_F(ParallelCorpusTest, ThreadsDoNotChangeTheContent) {
  const ToyText many = toy_text(9'000, 5);  // several chunks
  const Files sources = {write("many.source", joined_lines(many.source))};
  const Files targets = {write("many.target", joined_lines(many.target))};
  corpus_of(sources, targets, {}, 1);
  const uint32_t one_thread = file_crc32(cache_file());
  fs::remove(cache_file());
  corpus_of(sources, targets, {}, 5);
  EXPECT_EQ(file_crc32(cache_file()), one_thread);
}

TEST_F(ParallelCorpusTest, TheFilterCountsWhatItDrops) {
  const std::string a50 = [] {
    std::string words;
    for (int i = 0; i < 50; ++i) words += "tuba ";
    return words;
  }();
  const Files sources = {write("s", "tuba riko\n\ntuba\n" + a50 + "\ntuba tuba\nriko\n \n")};
  const Files targets = {write("t", "riko tuba\ntuba\n\n" + a50 + "\n" + a50 + "\nriko\ntuba\n")};
  const int64_t tuba = std::ssize(tokenizer().encode("tuba"));
  const int64_t riko = std::ssize(tokenizer().encode("riko"));
  LengthFilter filter;
  filter.max_tokens = 50 * tuba;
  filter.max_ratio = 10;
  filter.min_tokens = std::max(tuba, riko) + 1;
  const ParallelCorpus corpus = corpus_of(sources, targets, filter);
  const CorpusReport& report = corpus.report();
  EXPECT_EQ(report.lines, 7);
  EXPECT_EQ(report.empty, 3);
  EXPECT_EQ(report.too_short, 1);
  EXPECT_EQ(report.too_long, 0);
  EXPECT_EQ(report.ratio, 1);
  EXPECT_EQ(report.kept, 2);
  EXPECT_THAT(corpus.source(0), ElementsAreArray(sentence("tuba riko")));
  EXPECT_THAT(report.summary(),
              AllOf(HasSubstr("kept 2 of 7 pairs"), HasSubstr("3 with an empty side"),
                    HasSubstr("1 too short"), HasSubstr("1 of too unequal lengths"),
                    Not(HasSubstr("too long"))));

  filter.max_tokens = 50 * tuba - 1;
  EXPECT_EQ(corpus_of(sources, targets, filter).report().too_long, 2);
}

TEST_F(ParallelCorpusTest, KnowsItsCorpora) {
  const ParallelCorpus corpus =
      corpus_of({write("s1", "tuba\n\n"), write("s2", ""), source_file()},
                {write("t1", "riko\ntuba\n"), write("t2", ""), target_file()});
  ASSERT_EQ(corpus.corpora(), 3);
  EXPECT_EQ(corpus.first_pair(1), 1);
  EXPECT_EQ(corpus.first_pair(2), 1);
  EXPECT_EQ(corpus.first_pair(3), 601);
  EXPECT_EQ(corpus.report(0).empty, 1);
  EXPECT_EQ(corpus.report(1).lines, 0);
  EXPECT_EQ(corpus.report(2).kept, 600);
  EXPECT_EQ(corpus.report().lines, 602);
}

TEST_F(ParallelCorpusTest, ATagIsOnePieceBeforeEverySource) {
  TokenizerOptions options;
  options.inputs = {source_file(), target_file()};
  options.vocabulary_size = 100;
  options.tags = {"<bt>", "<2de>", "<bt>"};
  train_tokenizer(options, scratch() / "tags.model");
  const Tokenizer tagged(scratch() / "tags.model");
  const auto corpus_with = [&](const std::string& tag) {
    return ParallelCorpus({{source_file(), target_file(), tag}}, tagged, tagged, {}, cache_folder(),
                          1);
  };
  const ParallelCorpus plain = corpus_with(""), corpus = corpus_with("<2de>");
  EXPECT_EQ(cache_files().size(), 2U);
  const int32_t tag = tagged.encode("<2de>").at(0);
  EXPECT_EQ(tagged.piece(tag), "\xE2\x96\x81<2de>");
  for (int64_t pair = 0; pair < 50; ++pair) {
    std::vector<int32_t> expected = ids(plain.source(pair));
    expected.insert(expected.begin(), tag);
    EXPECT_THAT(corpus.source(pair), ElementsAreArray(expected));
    expected.pop_back();
    EXPECT_EQ(tagged.encode("<2de> " + text_.source[static_cast<size_t>(pair)]), expected);
    EXPECT_THAT(corpus.target(pair), ElementsAreArray(plain.target(pair)));
  }
}

TEST_F(ParallelCorpusTest, ATagCountsForNoFilter) {
  const Tokenizer& plain = tokenizer();
  TokenizerOptions options;
  options.inputs = {source_file()};
  options.vocabulary_size = 80;
  options.tags = {"<bt>"};
  train_tokenizer(options, scratch() / "tags.model");
  const Tokenizer tagged(scratch() / "tags.model");
  LengthFilter filter;
  filter.max_tokens = std::ssize(tagged.encode("tuba"));
  const ParallelCorpus corpus({{write("s", "tuba\n\n"), write("t", "\xC3\xBC\ntuba\n"), "<bt>"}},
                              tagged, plain, filter, cache_folder(), 1);
  EXPECT_EQ(corpus.report().kept, 1);
  EXPECT_EQ(corpus.report().empty, 1);
}

TEST_F(ParallelCorpusTest, ATagThatTheTokenizerLacksIsAnError) {
  try {
    ParallelCorpus({{source_file(), target_file(), "<2de>"}}, tokenizer(), tokenizer(), {},
                   cache_folder(), 1);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("'<2de>'"), HasSubstr(tokenizer().file())));
  }
}

TEST_F(ParallelCorpusTest, ReadGivesBothSides) {
  const ParallelCorpus corpus = toy_corpus();
  std::vector<int32_t> both;
  for (int64_t pair = 0; pair < corpus.size(); ++pair) {
    corpus.read(pair, both);
    std::vector<int32_t> expected = ids(corpus.source(pair));
    expected.insert(expected.end(), corpus.target(pair).begin(), corpus.target(pair).end());
    ASSERT_EQ(both, expected);
  }
}

// Both sides of a skipped pair are dropped, and each choice has its own cache.
TEST_F(ParallelCorpusTest, LinesThatAreNotUtf8CanBeReplacedOrSkipped) {
  CorpusFiles files{write("bad.source", "tuba\ntuba \xC3\x28\nriko\nriko\n"),
                    write("bad.target", "riko\nriko\ntuba \xFF\ntuba\n")};
  files.allows_unknown = true;  // the vocabulary lacks U+FFFD
  const auto corpus = [&](InvalidUtf8 choice) {
    files.invalid_utf8 = choice;
    return ParallelCorpus({files}, tokenizer(), tokenizer(), {}, scratch() / "cache", 1);
  };
  const ParallelCorpus skipped = corpus(InvalidUtf8::kSkip);
  ASSERT_EQ(skipped.size(), 2);
  const std::vector<int32_t> tuba(skipped.source(0).begin(), skipped.source(0).end());
  EXPECT_THAT(skipped.target(1), testing::ElementsAreArray(tuba));
  EXPECT_EQ(skipped.report().lines, 4);
  EXPECT_EQ(skipped.report().not_utf8(), 2);
  EXPECT_THAT(skipped.report().summary(), HasSubstr("kept 2 of 4 pairs (dropped 2 not UTF-8)"));
  EXPECT_EQ(corpus(InvalidUtf8::kReplace).size(), 4);
  EXPECT_EQ(corpus(InvalidUtf8::kSkip).size(), 2) << "the cache of another choice";
  EXPECT_THROW(corpus(InvalidUtf8::kRefuse), DataError);
  EXPECT_EQ(read_parallel_text({files.source, files.target, "", "", InvalidUtf8::kSkip}).targets,
            (std::vector<std::string>{"riko", "", "", "tuba"}));
}

TEST_F(ParallelCorpusTest, MistakesNameTheLine) {
  EXPECT_THAT(error_of({write("bad.source", "tuba\n\xC3\x28\n")}, {write("ok", "tuba\nriko\n")}),
              HasSubstr("bad.source:2: not UTF-8 at byte 1"));
  const std::string longer = write("longer", "tuba\nriko\ntuba\ntuba\n");
  const std::string shorter = write("shorter", "tuba\nriko\n");
  EXPECT_THAT(
      error_of({longer}, {shorter}),
      AllOf(HasSubstr("longer:3: "), HasSubstr("longer has 4 lines"), HasSubstr("shorter has 2")));
  EXPECT_THAT(error_of({shorter}, {longer}),
              AllOf(HasSubstr("longer:3: "), HasSubstr("longer has 4")));
  EXPECT_THAT(error_of({(scratch() / "absent").string()}, {shorter}), HasSubstr("absent"));
  EXPECT_THAT(error_of({longer, longer}, {longer}), HasSubstr("same number of both"));
  EXPECT_THAT(error_of({}, {}), HasSubstr("at least one"));
}

TEST_F(ParallelCorpusTest, NothingLeftIsADataError) {
  LengthFilter filter;
  filter.max_tokens = 1;
  EXPECT_THAT(error_of({write("s", "tuba riko\n")}, {write("t", "tuba riko\n")}, filter),
              AllOf(HasSubstr("no pair is left"), HasSubstr("1 too long")));
  EXPECT_THAT(error_of({write("s", "")}, {write("t", "")}), HasSubstr("no pair is left"));
}

}  // namespace
}  // namespace dietmt::data
