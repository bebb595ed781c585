// Sentences with the preceding sentences of their documents.
#include <gmock/gmock.h>

#include "data/corpus/batches.h"
#include "tests/data/corpus/parallel_corpus_fixture.h"

namespace dietmt::data {
namespace {

using ::testing::ElementsAre;
using Ids = std::vector<int32_t>;

constexpr int32_t kSeparator = 7, kTargetSeparator = 8;

// Documents of 3, 1 and 2 pairs; the target of the fifth line is too long.
class DocumentCorpusTest : public ParallelCorpusTest {
 protected:
  static std::vector<std::string> sources() {
    return {"", "tuba", "riko", "mo ba", "", "", "vi", "len", "sta", "ko"};
  }
  static std::vector<std::string> targets() {
    return {
        "",   "ba ba ba", "ko", "ri",
        "",   "",         "tu", "ba ko ri tu len sta mo vi ba ko ri tu len sta mo vi ba ko ri tu",
        "ko", "mo"};
  }

  ParallelCorpus documents(const SentenceContext& context, int64_t threads = 2) const {
    LengthFilter filter;
    filter.max_tokens = 15;
    return ParallelCorpus({files_}, tokenizer(), tokenizer(), filter, cache_folder(), threads,
                          context);
  }

  Ids joined(const std::vector<std::string>& lines, int32_t separator) const {
    Ids tokens;
    for (const std::string& line : lines) {
      if (!tokens.empty()) tokens.back() = separator;
      const Ids one = sentence(line);
      tokens.insert(tokens.end(), one.begin(), one.end());
    }
    return tokens;
  }

  // Source and target of a pair with its context.
  static std::pair<Ids, Ids> sides(const ParallelCorpus& corpus, int64_t pair) {
    Ids all;
    corpus.read(pair, all);
    const auto middle = all.begin() + corpus.source_length(pair);
    EXPECT_EQ(all.end() - middle, corpus.target_length(pair));
    return {Ids(all.begin(), middle), Ids(middle, all.end())};
  }

 private:
  const CorpusFiles files_{write("source", joined_lines(sources())),
                           write("target", joined_lines(targets()))};
};

TEST_F(DocumentCorpusTest, ASkippedPairEndsADocument) {
  const CorpusFiles files{write("bad.source", "tuba\n\xFF\nriko\n"),
                          write("bad.target", "ko\nri\nmo\n"), "", "", InvalidUtf8::kSkip};
  const SentenceContext context{2, kSeparator, -1, 1000};
  const ParallelCorpus corpus({files}, tokenizer(), tokenizer(), {}, cache_folder(), 1, context);
  ASSERT_EQ(corpus.size(), 2);
  EXPECT_EQ(sides(corpus, 1).first, sentence("riko"));
  EXPECT_EQ(corpus.report().not_utf8(), 1);
}

TEST_F(DocumentCorpusTest, SourcesFollowThoseBefore) {
  const ParallelCorpus corpus = documents({2, kSeparator, -1, 1000});
  ASSERT_EQ(corpus.size(), 6);
  const std::vector<std::vector<std::string>> expected = {
      {"tuba"}, {"tuba", "riko"}, {"tuba", "riko", "mo ba"}, {"vi"}, {"sta"}, {"sta", "ko"}};
  const std::vector<std::string> alone = {"ba ba ba", "ko", "ri", "tu", "ko", "mo"};
  for (int64_t pair = 0; pair < corpus.size(); ++pair) {
    const auto [source, target] = sides(corpus, pair);
    EXPECT_EQ(source, joined(expected[static_cast<size_t>(pair)], kSeparator)) << pair;
    EXPECT_EQ(target, sentence(alone[static_cast<size_t>(pair)])) << pair;
  }
}

TEST_F(DocumentCorpusTest, TargetsFollowThoseBefore) {
  const ParallelCorpus corpus = documents({1, kSeparator, kTargetSeparator, 1000});
  const std::vector<std::vector<std::string>> sources = {
      {"tuba"}, {"tuba", "riko"}, {"riko", "mo ba"}, {"vi"}, {"sta"}, {"sta", "ko"}};
  const std::vector<std::vector<std::string>> targets = {
      {"ba ba ba"}, {"ba ba ba", "ko"}, {"ko", "ri"}, {"tu"}, {"ko"}, {"ko", "mo"}};
  for (int64_t pair = 0; pair < corpus.size(); ++pair) {
    const auto [source, target] = sides(corpus, pair);
    EXPECT_EQ(source, joined(sources[static_cast<size_t>(pair)], kSeparator)) << pair;
    EXPECT_EQ(target, joined(targets[static_cast<size_t>(pair)], kTargetSeparator)) << pair;
  }
}

TEST_F(DocumentCorpusTest, TheOldestContextGoesFirstIfASideIsTooLong) {
  const Ids two = joined({"riko", "mo ba"}, kSeparator);
  const ParallelCorpus source = documents({2, kSeparator, -1, std::ssize(two)});
  EXPECT_EQ(sides(source, 2).first, two);
  const ParallelCorpus shorter = documents({2, kSeparator, -1, std::ssize(two) - 1});
  EXPECT_EQ(sides(shorter, 2).first, sentence("mo ba"));
  // The same sentences on both sides.
  const Ids target = joined({"ba ba ba", "ko"}, kTargetSeparator);
  ASSERT_GT(target.size(), joined({"tuba", "riko"}, kSeparator).size());
  const ParallelCorpus both = documents({2, kSeparator, kTargetSeparator, std::ssize(target) - 1});
  EXPECT_EQ(sides(both, 1), std::pair(sentence("riko"), sentence("ko")));
}

TEST_F(DocumentCorpusTest, TheCacheHoldsEachSentenceOnceForAnyContext) {
  const auto file_of = [&](const SentenceContext& context) {
    const ParallelCorpus corpus = documents(context);
    return std::pair(inode(), std::filesystem::file_size(cache_file()));
  };
  const auto plain = file_of({});
  const auto one = file_of({1, kSeparator, -1, 1000});
  EXPECT_NE(plain.first, one.first);
  EXPECT_LE(one.second, plain.second + 4096);  // a longer fingerprint, and the starts of documents
  EXPECT_EQ(file_of({2, kSeparator, kTargetSeparator, 500}), one);
  const ParallelCorpus corpus = documents({2, kSeparator, -1, 1000});
  EXPECT_EQ(ids(corpus.source(2)), sentence("mo ba"));
}

TEST_F(DocumentCorpusTest, DocumentsDoNotDependOnThreads) {
  const SentenceContext context{3, kSeparator, -1, 1000};
  std::vector<std::string> source, target;
  for (int i = 0; i < 9000; ++i) {  // several chunks, with document ends at their borders
    source.emplace_back(i % 4096 == 0 || i % 7 == 0 ? "" : i % 2 == 0 ? "tuba" : "riko");
    target.push_back(source.back());
  }
  const std::vector<CorpusFiles> files = {
      {write("long", joined_lines(source)), write("long2", joined_lines(target))}};
  const ParallelCorpus corpus(files, tokenizer(), tokenizer(), {}, cache_folder(), 3, context);
  int64_t pair = 0;
  for (size_t i = 0; i < source.size(); ++i) {
    if (source[i].empty()) continue;
    std::vector<std::string> lines;
    for (size_t first = i; lines.size() < 4 && !source[first].empty(); --first) {
      lines.insert(lines.begin(), source[first]);
      if (first == 0) break;
    }
    ASSERT_EQ(sides(corpus, pair++).first, joined(lines, kSeparator)) << i;
  }
}

TEST_F(DocumentCorpusTest, ACorpusBeginsADocument) {
  const CorpusFiles files{write("s", "tuba\nriko\n"), write("t", "ba\nko\n")};
  const CorpusFiles again{write("s2", "tuba\nriko\n"), write("t2", "ba\nko\n")};
  const ParallelCorpus corpus({files, again}, tokenizer(), tokenizer(), {}, cache_folder(), 1,
                              {1, kSeparator, -1, 1000});
  EXPECT_EQ(sides(corpus, 2).first, sentence("tuba"));
  EXPECT_EQ(sides(corpus, 3).first, joined({"tuba", "riko"}, kSeparator));
}

TEST_F(DocumentCorpusTest, BatchesArePlannedWithContextAndResume) {
  const ParallelCorpus corpus({{source_file(), target_file()}}, tokenizer(), tokenizer(), {},
                              cache_folder(), 2, {2, kSeparator, kTargetSeparator, 200});
  BatchOptions options;
  options.batch_tokens = 400;
  BatchIterator batches(corpus, options);
  std::vector<ParallelBatch> first;
  for (int i = 0; i < 6; ++i) first.push_back(batches.next());
  const BatchPosition middle = [&] {
    BatchIterator again(corpus, options);
    for (int i = 0; i < 3; ++i) again.next();
    return again.position();
  }();
  BatchIterator resumed(corpus, options, middle);
  for (size_t i = 3; i < 6; ++i) {
    const ParallelBatch batch = resumed.next();
    EXPECT_EQ(batch.source, first[i].source);
    EXPECT_EQ(batch.target, first[i].target);
  }
  int64_t separators = 0;
  for (const ParallelBatch& batch : first) {
    EXPECT_TRUE(batch.target.size() <= 400 || batch.target.sentences() == 1);
    separators += std::ranges::count(batch.source.tokens, kSeparator);
  }
  EXPECT_GT(separators, 0);
}

}  // namespace
}  // namespace dietmt::data
