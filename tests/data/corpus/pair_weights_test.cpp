// Weights of sentence pairs: read from a file or a column, kept in the cache, handed out in
// batches.
#include <gmock/gmock.h>

#include "tests/data/corpus/batches_fixture.h"
#include "tests/data/corpus/parallel_corpus_fixture.h"

namespace dietmt::data {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

class PairWeightsTest : public ParallelCorpusTest {
 protected:
  // 0, 0.5, 1, 1.5, ...
  static float weight_of(size_t line) { return 0.5F * static_cast<float>(line % 7); }

  std::string weights_file(size_t lines, const std::string& name = "weights") const {
    std::vector<std::string> text;
    for (size_t i = 0; i < lines; ++i) text.push_back(std::to_string(weight_of(i)));
    return write(name, joined_lines(text));
  }

  CorpusFiles weighted(const std::string& weights) const {
    CorpusFiles files{source_file(), target_file()};
    files.weights = weights;
    return files;
  }

  ParallelCorpus open(const std::vector<CorpusFiles>& corpora, const LengthFilter& filter = {},
                      CacheUse use = CacheUse::kUpToDate) const {
    return ParallelCorpus(corpora, tokenizer(), tokenizer(), filter, cache_folder(), 2, {}, use);
  }

  std::string error_with(const std::string& weights) const {
    try {
      open({weighted(weights)});
    } catch (const DataError& error) {
      return error.what();
    }
    return "no error";
  }
};

TEST_F(PairWeightsTest, AreThoseOfTheLinesThatAreKept) {
  const LengthFilter filter{.max_tokens = 12};
  const std::string weights = weights_file(text_.source.size());
  for (const CacheUse use : {CacheUse::kUpToDate, CacheUse::kUpToDate, CacheUse::kOfFirstProcess}) {
    const ParallelCorpus corpus = open({weighted(weights)}, filter, use);
    ASSERT_TRUE(corpus.weighted());
    ASSERT_LT(corpus.size(), std::ssize(text_.source));
    int64_t pair = 0;
    for (size_t line = 0; line < text_.source.size(); ++line) {
      const std::vector<int32_t> source = sentence(text_.source[line]);
      if (std::ssize(source) > 13 || std::ssize(sentence(text_.target[line])) > 13) continue;
      ASSERT_EQ(ids(corpus.source(pair)), source);
      EXPECT_EQ(corpus.weight(pair++), weight_of(line)) << line;
    }
    EXPECT_EQ(pair, corpus.size());
  }
}

TEST_F(PairWeightsTest, LeaveTheTextAsItIs) {
  const ParallelCorpus corpus = open({weighted(weights_file(text_.source.size()))});
  expect_toy_text(corpus);
  EXPECT_NE(corpus.content_hash(), toy_corpus().content_hash());
  EXPECT_FALSE(toy_corpus().weighted());
}

TEST_F(PairWeightsTest, ACorpusWithoutWeightsHasOnes) {
  const std::string source = write("more.source", text_.source[0] + "\n");
  const std::string target = write("more.target", text_.target[0] + "\n");
  const ParallelCorpus corpus =
      open({weighted(weights_file(text_.source.size())), {source, target}});
  EXPECT_TRUE(corpus.weighted());
  EXPECT_EQ(corpus.weight(1), weight_of(1));
  EXPECT_EQ(corpus.weight(corpus.size() - 1), 1.0F);
}

TEST_F(PairWeightsTest, AColumnHoldsThem) {
  std::vector<std::string> rows;
  for (size_t i = 0; i < text_.source.size(); ++i)
    rows.push_back(text_.source[i] + '\t' + text_.target[i] + '\t' + std::to_string(weight_of(i)));
  const std::string file = write("corpus.tsv", joined_lines(rows));
  CorpusFiles files{file + ":1", file + ":2"};
  files.weights = file + ":3";
  const ParallelCorpus corpus = open({files});
  for (size_t i = 0; i < rows.size(); ++i)
    ASSERT_EQ(corpus.weight(static_cast<int64_t>(i)), weight_of(i)) << i;
}

TEST_F(PairWeightsTest, OtherWeightsAreOtherText) {
  const std::string file = weights_file(text_.source.size());
  const uint64_t before = open({weighted(file)}).content_hash();
  EXPECT_EQ(open({weighted(file)}).content_hash(), before);
  std::vector<std::string> ones(text_.source.size(), "1");
  write("weights", joined_lines(ones));
  EXPECT_NE(open({weighted(file)}).content_hash(), before);
}

TEST_F(PairWeightsTest, ErrorsNameTheLine) {
  const auto with_line_3 = [&](const std::string& line) {
    std::vector<std::string> lines(text_.source.size(), "1");
    lines[2] = line;
    return write("weights", joined_lines(lines));
  };
  for (const char* bad : {"nan", "-0.5", "inf", "2000000", "", "1,5", "1 2"})
    EXPECT_THAT(error_with(with_line_3(bad)),
                EndsWith("weights:3: '" + std::string(bad) +
                         "' is no weight of a pair: give a number from 0 to 1000000"));
  EXPECT_EQ(error_with(with_line_3(" 0.25 \r")), "no error");
  const size_t lines = text_.source.size();
  EXPECT_THAT(error_with(weights_file(lines - 1)), HasSubstr("this line has no counterpart"));
  EXPECT_THAT(error_with(weights_file(lines - 1)),
              EndsWith("weights has " + std::to_string(lines - 1)));
  EXPECT_THAT(error_with(weights_file(lines + 1)),
              HasSubstr("weights:" + std::to_string(lines + 1) + ": this line has no"));
  EXPECT_THAT(error_with(write("weights", joined_lines(std::vector<std::string>(lines, "0")))),
              HasSubstr("the weights of all pairs that are kept are 0"));
}

TEST_F(PairWeightsTest, ASkippedPairTakesItsWeightAlong) {
  CorpusFiles files{write("bad.source", "a b\n\xff\nc d\n"), write("bad.target", "a b\nb\nc d\n")};
  files.weights = write("bad.weights", "2\n3\n4\n");
  files.invalid_utf8 = InvalidUtf8::kSkip;
  files.allows_unknown = true;
  const ParallelCorpus corpus = open({files});
  ASSERT_EQ(corpus.size(), 2);
  EXPECT_EQ(corpus.weight(0), 2.0F);
  EXPECT_EQ(corpus.weight(1), 4.0F);
}

TEST_F(PairWeightsTest, BatchesHaveThoseOfTheirPairs) {
  const ParallelCorpus corpus = open({weighted(weights_file(text_.source.size()))});
  BatchOptions drawn{.batch_tokens = 500};
  drawn.drawing.source = bpe_dropout(tokenizer(), 0.3);
  for (const BatchOptions& options : {BatchOptions{.batch_tokens = 500}, drawn}) {
    const ParallelBatch batch = BatchIterator(corpus, options).next();
    ASSERT_EQ(batch.weights.size(), batch.pairs.size());
    for (size_t i = 0; i < batch.pairs.size(); ++i)
      EXPECT_EQ(batch.weights[i], weight_of(static_cast<size_t>(batch.pairs[i])));
  }
  const ParallelCorpus plain = toy_corpus();
  EXPECT_TRUE(BatchIterator(plain, {}).next().weights.empty());
}

}  // namespace
}  // namespace dietmt::data
