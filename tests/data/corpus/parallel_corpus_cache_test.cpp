// When a corpus reuses its cache, and when it encodes the text again.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "common/error.h"
#include "common/files.h"
#include "data/text/tokenizer_training.h"
#include "tests/common/file_size_limit.h"
#include "tests/data/corpus/parallel_corpus_fixture.h"

namespace dietmt::data {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using Files = std::vector<std::string>;

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

// Their copies of the text may have other dates.
TEST_F(ParallelCorpusTest, FurtherProcessesReadTheCacheOfTheFirst) {
  const auto further = [&] {
    return ParallelCorpus({{source_file(), target_file()}}, tokenizer(), tokenizer(), {},
                          cache_folder(), 1, {}, CacheUse::kOfFirstProcess);
  };
  EXPECT_THROW(further(), Error);
  const uint64_t hash = toy_corpus().content_hash();
  const ino_t first = inode();
  fs::last_write_time(source_file(), fs::last_write_time(source_file()) + std::chrono::hours(1));
  EXPECT_EQ(further().content_hash(), hash);
  EXPECT_EQ(inode(), first);
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
  // The file ends with the bounds of its 1,200 sequences and the checksums of its blocks.
  for (const size_t from_end : {1, 100, 5000}) {
    std::string damaged = whole;
    damaged[damaged.size() - from_end] ^= 1;
    write_file_atomically(cache_file(), damaged);
    expect_toy_text(toy_corpus());
    EXPECT_EQ(read_file(cache_file()), whole) << from_end;
  }
}

TEST_F(ParallelCorpusTest, ADamagedBlockOfIdsIsAnErrorThatNamesIt) {
  constexpr size_t kTokensAt = 4096, kBlock = 4096;
  const auto read_all = [&] {
    const ParallelCorpus corpus = toy_corpus();
    std::vector<int32_t> ids;
    for (int64_t pair = 0; pair < corpus.size(); ++pair) corpus.read(pair, ids);
  };
  read_all();
  const std::string whole = read_file(cache_file());
  for (const auto& [at, bytes] : std::initializer_list<std::pair<size_t, std::string>>{
           {kTokensAt + 1, "\x7f"}, {kTokensAt + kBlock, std::string(400, '\xff')}}) {
    std::string damaged = whole;
    damaged.replace(at, bytes.size(), bytes);
    write_file_atomically(cache_file(), damaged);
    try {
      read_all();
      FAIL() << at;
    } catch (const Error& error) {
      const std::string block = "block " + std::to_string((at - kTokensAt) / kBlock);
      EXPECT_THAT(error.what(), AllOf(HasSubstr(cache_file().string()), HasSubstr(block)));
    }
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
  const std::string dead = cache + ".dietmt-tmp1", living = cache + ".dietmt-tmp2";
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

}  // namespace
}  // namespace dietmt::data
