#include "data/corpus/parallel_corpus.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "common/error.h"
#include "common/files.h"
#include "data/corpus/parallel_reader.h"
#include "tests/common/file_size_limit.h"
#include "tests/common/gzipped.h"
#include "tests/common/standard_input.h"
#include "tests/data/toy_text.h"

namespace dietmt::data {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;
using Files = std::vector<std::string>;

class ParallelCorpusTest : public ToyTextTest {
 protected:
  fs::path cache_folder() const { return scratch() / "cache"; }

  // The caches in the folder, in the order of their names.
  std::vector<fs::path> cache_files() const {
    std::vector<fs::path> files;
    if (!fs::exists(cache_folder())) return files;
    for (const auto& entry : fs::directory_iterator(cache_folder())) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
  }
  // The only one.
  fs::path cache_file() const {
    const std::vector<fs::path> files = cache_files();
    EXPECT_EQ(files.size(), 1U);
    return files.at(0);
  }

  ParallelCorpus corpus_of(const Files& sources, const Files& targets,
                           const LengthFilter& filter = {}, int64_t threads = 2) const {
    return ParallelCorpus(corpus_files(sources, targets), tokenizer(), tokenizer(), filter,
                          cache_folder(), threads);
  }
  ParallelCorpus toy_corpus(const LengthFilter& filter = {}, int64_t threads = 2) const {
    return corpus_of({source_file()}, {target_file()}, filter, threads);
  }

  std::string error_of(const Files& sources, const Files& targets,
                       const LengthFilter& filter = {}) const {
    try {
      corpus_of(sources, targets, filter);
    } catch (const Error& error) {
      for (const fs::path& file : cache_files()) EXPECT_EQ(file.extension(), ".cache");
      return error.what();
    }
    return "no error";
  }

  // Changes when the cache is written anew.
  ino_t inode() const { return inode(cache_file()); }
  static ino_t inode(const fs::path& file) {
    struct stat status = {};
    EXPECT_EQ(::stat(file.c_str(), &status), 0);
    return status.st_ino;
  }

  std::vector<int32_t> sentence(const std::string& line) const {
    std::vector<int32_t> ids = tokenizer().encode(line);
    ids.push_back(tokenizer().end_id());
    return ids;
  }

  static std::vector<int32_t> ids(std::span<const int32_t> span) {
    return {span.begin(), span.end()};
  }

  void expect_toy_text(const ParallelCorpus& corpus) const {
    ASSERT_EQ(corpus.size(), std::ssize(text_.source));
    for (size_t i = 0; i < text_.source.size(); ++i) {
      const auto pair = static_cast<int64_t>(i);
      EXPECT_EQ(ids(corpus.source(pair)), sentence(text_.source[i]));
      EXPECT_EQ(ids(corpus.target(pair)), sentence(text_.target[i]));
      EXPECT_EQ(corpus.source_length(pair), std::ssize(corpus.source(pair)));
      EXPECT_EQ(corpus.target_length(pair), std::ssize(corpus.target(pair)));
    }
  }
};

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

TEST_F(ParallelCorpusTest, TheCacheIsUsedAgain) {
  toy_corpus();
  const ino_t first = inode();
  const ParallelCorpus again = toy_corpus({}, 1);
  EXPECT_EQ(inode(), first);
  expect_toy_text(again);
  EXPECT_EQ(again.report().kept, 600);
}

TEST_F(ParallelCorpusTest, AChangedFileFilterOrTokenizerMakesANewCache) {
  const ParallelCorpus oldest = toy_corpus();
  ino_t last = inode();

  fs::last_write_time(source_file(),
                      fs::last_write_time(source_file()) + std::chrono::microseconds(1));
  toy_corpus();
  EXPECT_NE(inode(), std::exchange(last, inode())) << "modification time";

  LengthFilter filter;
  filter.max_tokens = 249;
  toy_corpus(filter);
  EXPECT_NE(inode(), std::exchange(last, inode())) << "filter";

  TokenizerOptions options;
  options.inputs = {target_file()};
  options.vocabulary_size = 60;
  train_tokenizer(options, scratch() / "other.model");
  const Tokenizer other(scratch() / "other.model");
  ParallelCorpus({{source_file(), target_file()}}, tokenizer(), other, filter, cache_folder(), 1);
  EXPECT_NE(inode(), std::exchange(last, inode())) << "tokenizer";

  expect_toy_text(oldest);  // still maps the file that was replaced
}

TEST_F(ParallelCorpusTest, AChangedCorpusLeavesTheCachesOfTheOthers) {
  const Files sources = {write("s1", "tuba\n"), write("s2", "riko\nriko tuba\n")};
  const Files targets = {write("t1", "tuba\n"), write("t2", "riko\nriko tuba\n")};
  const auto inodes = [&] {
    std::vector<ino_t> all;
    for (const fs::path& file : cache_files()) all.push_back(inode(file));
    return all;
  };
  corpus_of(sources, targets);
  const std::vector<ino_t> first = inodes();
  ASSERT_EQ(first.size(), 2U);

  write("t1", "tuba tuba\n");
  const ParallelCorpus changed = corpus_of(sources, targets);
  EXPECT_THAT(changed.target(0), ElementsAreArray(sentence("tuba tuba")));
  EXPECT_THAT(changed.source(2), ElementsAreArray(sentence("riko tuba")));
  const std::vector<ino_t> second = inodes();
  ASSERT_EQ(second.size(), 2U);
  EXPECT_EQ((first[0] != second[0]) + (first[1] != second[1]), 1);

  corpus_of({sources[1], source_file()}, {targets[1], target_file()});
  const std::vector<ino_t> with_another = inodes();
  EXPECT_EQ(with_another.size(), 3U);
  EXPECT_THAT(with_another, IsSupersetOf(second));
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

TEST_F(ParallelCorpusTest, ADamagedCacheIsMadeAnew) {
  toy_corpus();
  const std::string whole = read_file(cache_file());
  for (const std::string& damaged :
       {whole.substr(0, whole.size() - 8), whole.substr(0, 10), std::string(), "x" + whole,
        std::string(whole.size(), '\0'), whole + whole}) {
    write_file_atomically(cache_file(), damaged);
    expect_toy_text(toy_corpus());
    EXPECT_EQ(read_file(cache_file()), whole);
  }
}

TEST_F(ParallelCorpusTest, ACacheWithDamagedBoundsIsMadeAnew) {
  toy_corpus();
  const std::string whole = read_file(cache_file());
  // The file ends with the bounds of its sequences, followed by the only one of its no groups.
  for (const size_t from_end : {16, 24, 40}) {
    std::string damaged = whole;
    damaged[damaged.size() - from_end + 6] = 1;
    write_file_atomically(cache_file(), damaged);
    expect_toy_text(toy_corpus());
    EXPECT_EQ(read_file(cache_file()), whole) << from_end;
  }
}

TEST_F(ParallelCorpusTest, AFullDiskIsAClearErrorAndKeepsTheOldCache) {
  toy_corpus();
  const uint32_t old = file_crc32(cache_file());
  LengthFilter filter;
  filter.max_tokens = 249;
  {
    const FileSizeLimit limit(10'000);
    EXPECT_THAT(error_of({source_file()}, {target_file()}, filter),
                AllOf(HasSubstr(cache_file().string()), HasSubstr("File too large")));
  }
  EXPECT_EQ(file_crc32(cache_file()), old);
}

TEST_F(ParallelCorpusTest, LeftoversOfKilledWritersGoAndThoseOfLivingOnesStay) {
  toy_corpus();
  const std::string cache = cache_file();
  fs::remove(cache);
  const std::string dead = cache + ".tmp1", living = cache + ".tmp2";
  write_file_atomically(dead, "half a cache");
  write_file_atomically(living, "half a cache");
  const int writer = ::open(living.c_str(), O_RDONLY);
  ASSERT_EQ(::flock(writer, LOCK_EX), 0);
  toy_corpus();
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_TRUE(fs::exists(living));
  ::close(writer);
}

TEST_F(ParallelCorpusTest, FoldersOfTheCacheAreMade) {
  const ParallelCorpus corpus({{source_file(), target_file()}}, tokenizer(), tokenizer(), {},
                              scratch() / "new" / "folder" / "cache", 1);
  expect_toy_text(corpus);
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

// Both sides of a skipped pair are left out, and each choice has its own cache.
TEST_F(ParallelCorpusTest, LinesThatAreNotUtf8CanBeReplacedOrSkipped) {
  CorpusFiles files{write("bad.source", "tuba\ntuba \xC3\x28\nriko\nriko\n"),
                    write("bad.target", "riko\nriko\ntuba \xFF\ntuba\n")};
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
  EXPECT_EQ(read_parallel_text({files.source, files.target, "", InvalidUtf8::kSkip}).targets,
            (std::vector<std::string>{"riko", "tuba"}));
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
