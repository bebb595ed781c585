#include "data/pretraining/packed_examples.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "common/error.h"
#include "tests/data/pretraining/numbered_corpus.h"

namespace dietmt::data {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

struct Example {
  std::vector<int32_t> tokens;
  std::vector<int32_t> segments;
  bool random;
};

ExampleOptions packed(ExampleMode mode, int64_t length) {
  ExampleOptions options;
  options.mode = mode;
  options.length = length;
  return options;
}

std::vector<Example> examples_of(const TextCorpus& corpus, const ExampleOptions& options,
                                 uint64_t key = 1) {
  const ExamplePlan plan = plan_examples(corpus, options, key);
  EXPECT_GT(plan.examples(), 0);
  std::vector<Example> examples;
  for (int64_t i = 0; i < plan.examples(); ++i) {
    Example& example = examples.emplace_back();
    append_example(corpus, plan.example(i), example.tokens, example.segments);
    example.random = plan.example(i).back().random;
    EXPECT_EQ(plan.length(i), std::ssize(example.tokens));
    EXPECT_EQ(example.segments.size(), example.tokens.size());
    EXPECT_LE(std::ssize(example.tokens), options.length);
  }
  return examples;
}

class PackedExamplesTest : public NumberedCorpusTest {
 protected:
  // The words of an example; also checks the special pieces around them.
  std::vector<int32_t> words_of(const Example& example) const {
    EXPECT_EQ(example.tokens.front(), special_.classify);
    EXPECT_EQ(example.tokens.back(), special_.separate);
    std::vector<int32_t> words;
    for (const int32_t id : example.tokens) {
      if (is_word(id)) words.push_back(id);
    }
    return words;
  }

  void expect_every_word_once(const std::vector<Example>& examples) const {
    std::vector<int32_t> all;
    for (const Example& example : examples) {
      for (const int32_t word : words_of(example)) all.push_back(word);
    }
    std::vector<int32_t> expected(kWords);
    std::iota(expected.begin(), expected.end(), kFirstWord);
    EXPECT_EQ(all, expected) << "in the order of the corpus";
  }

  std::string text(const Example& example) const {
    std::string text;
    for (const int32_t id : example.tokens) {
      text += id == special_.classify   ? "[CLS]"
              : id == special_.separate ? "[SEP]"
                                        : tokenizer_.piece(id);
      text += ' ';
    }
    return text;
  }
  std::vector<std::string> texts(const std::vector<Example>& examples) const {
    std::vector<std::string> all;
    for (const Example& example : examples) all.push_back(text(example));
    return all;
  }
};

TEST_F(PackedExamplesTest, FullSentencesCrossDocumentsWithASeparator) {
  const TextCorpus corpus = corpus_of("w0 w1\nw2\n\nw3 w4\nw5 w6 w7\n\nw8\n");
  const auto at = [&](int64_t length) {
    return texts(examples_of(corpus, packed(ExampleMode::kFullSentences, length)));
  };
  EXPECT_THAT(at(8),
              ElementsAre("[CLS] w0 w1 w2 [SEP] w3 w4 [SEP] ", "[CLS] w5 w6 w7 [SEP] w8 [SEP] "));
  EXPECT_THAT(at(7), ElementsAre("[CLS] w0 w1 w2 [SEP] ", "[CLS] w3 w4 w5 w6 w7 [SEP] ",
                                 "[CLS] w8 [SEP] "));
  EXPECT_THAT(at(100), ElementsAre("[CLS] w0 w1 w2 [SEP] w3 w4 w5 w6 w7 [SEP] w8 [SEP] "));
}

TEST_F(PackedExamplesTest, DocumentExamplesStayInOne) {
  const TextCorpus corpus = corpus_of("w0 w1\nw2\n\nw3 w4\nw5 w6 w7\n\nw8\n");
  const auto at = [&](int64_t length) {
    return texts(examples_of(corpus, packed(ExampleMode::kDocument, length)));
  };
  EXPECT_THAT(at(6), ElementsAre("[CLS] w0 w1 w2 [SEP] ", "[CLS] w3 w4 [SEP] ",
                                 "[CLS] w5 w6 w7 [SEP] ", "[CLS] w8 [SEP] "));
  EXPECT_THAT(at(100), ElementsAre("[CLS] w0 w1 w2 [SEP] ", "[CLS] w3 w4 w5 w6 w7 [SEP] ",
                                   "[CLS] w8 [SEP] "));
}

TEST_F(PackedExamplesTest, ASentenceLongerThanAnExampleIsCut) {
  const TextCorpus corpus = corpus_of("w0\nw1 w2 w3 w4 w5 w6 w7\nw8\n");
  for (const ExampleMode mode : {ExampleMode::kFullSentences, ExampleMode::kDocument}) {
    EXPECT_THAT(texts(examples_of(corpus, packed(mode, 5))),
                ElementsAre("[CLS] w0 [SEP] ", "[CLS] w1 w2 w3 [SEP] ", "[CLS] w4 w5 w6 [SEP] ",
                            "[CLS] w7 w8 [SEP] "));
    EXPECT_THAT(examples_of(corpus, packed(mode, 3)), SizeIs(9));
  }
}

TEST_F(PackedExamplesTest, EveryTokenStandsInOneExample) {
  for (const ExampleMode mode : {ExampleMode::kFullSentences, ExampleMode::kDocument}) {
    for (const int64_t length : {3, 4, 7, 20, 64, 512, 100'000})
      expect_every_word_once(examples_of(corpus_, packed(mode, length)));
  }
}

TEST_F(PackedExamplesTest, SentencesStayWhole) {
  for (const ExampleMode mode : {ExampleMode::kFullSentences, ExampleMode::kDocument}) {
    for (const Example& example : examples_of(corpus_, packed(mode, 22)))
      EXPECT_TRUE(begins_sentence(words_of(example).front()));
  }
}

TEST_F(PackedExamplesTest, ExamplesAreFull) {
  // The longest sentence has 20 words, so less than that stays free.
  const auto examples = examples_of(corpus_, packed(ExampleMode::kFullSentences, 128));
  for (size_t i = 0; i + 1 < examples.size(); ++i) EXPECT_GT(examples[i].tokens.size(), 128U - 21U);
}

TEST_F(PackedExamplesTest, SeparatorsStandWhereDocumentsEnd) {
  const auto full = examples_of(corpus_, packed(ExampleMode::kFullSentences, 128));
  for (const Example& example : full) {
    for (size_t i = 1; i + 1 < example.tokens.size(); ++i) {
      if (is_word(example.tokens[i])) continue;
      ASSERT_EQ(example.tokens[i], special_.separate);
      EXPECT_EQ(document_of(example.tokens[i - 1]) + 1, document_of(example.tokens[i + 1]));
    }
    EXPECT_THAT(example.segments, Each(0));
  }
  for (const Example& example : examples_of(corpus_, packed(ExampleMode::kDocument, 128))) {
    const std::vector<int32_t> words = words_of(example);
    EXPECT_EQ(words.size() + 2, example.tokens.size());
    EXPECT_EQ(document_of(words.front()), document_of(words.back()));
    EXPECT_THAT(example.segments, Each(0));
  }
}

class SentencePairsTest : public PackedExamplesTest {
 protected:
  struct Pair {
    std::vector<int32_t> a;
    std::vector<int32_t> b;
  };

  // The words of both sides; also checks [CLS] A [SEP] B [SEP] and its segments.
  Pair pair_of(const Example& example) const {
    const std::vector<int32_t>& tokens = example.tokens;
    const auto middle = std::find(tokens.begin(), tokens.end(), special_.separate);
    EXPECT_EQ(std::count(tokens.begin(), tokens.end(), special_.separate), 2);
    EXPECT_EQ(tokens.front(), special_.classify);
    EXPECT_EQ(tokens.back(), special_.separate);
    std::vector<int32_t> segments(tokens.size(), 1);
    std::fill_n(segments.begin(), middle - tokens.begin() + 1, 0);
    EXPECT_EQ(example.segments, segments);
    return {{tokens.begin() + 1, middle}, {middle + 1, tokens.end() - 1}};
  }

  std::vector<Example> pairs(int64_t length, double short_share = 0.1, uint64_t key = 1) const {
    ExampleOptions wanted = packed(ExampleMode::kSentencePairs, length);
    wanted.short_share = short_share;
    return examples_of(corpus_, wanted, key);
  }
};

// As encoder_input() writes pairs for such a tokenizer.
TEST_F(SentencePairsTest, TwoSeparatorsStandBetweenTheSidesForRoberta) {
  const WordTokenizer roberta(numbered_words(8), 2);
  const TextCorpus corpus({write("text", "w0 w1\nw2 w3\n\nw4 w5\nw6 w7\n")}, roberta, {},
                          scratch() / "cache", 1);
  const auto examples = examples_of(corpus, packed(ExampleMode::kSentencePairs, 100));
  ASSERT_FALSE(examples.empty());
  for (const Example& example : examples) {
    EXPECT_THAT(text(example), testing::HasSubstr(" [SEP] [SEP] w"));
    EXPECT_EQ(std::ranges::count(example.tokens, special_.separate), 3);
  }
  EXPECT_THROW(plan_examples(corpus, packed(ExampleMode::kSentencePairs, 5), 1), ConfigError);
}

TEST_F(SentencePairsTest, SidesAreContiguousTextOfOneDocumentEach) {
  for (const int64_t length : {5, 32, 128}) {
    for (const Example& example : pairs(length)) {
      const auto [a, b] = pair_of(example);
      for (const auto& side : {a, b}) {
        ASSERT_FALSE(side.empty());
        EXPECT_EQ(side.back() - side.front() + 1, std::ssize(side));
        EXPECT_EQ(document_of(side.front()), document_of(side.back()));
      }
      EXPECT_EQ(example.random, document_of(a.front()) != document_of(b.front()));
      if (!example.random) {
        EXPECT_LT(a.back(), b.front());
      }
    }
  }
}

TEST_F(SentencePairsTest, NothingStandsBetweenAAndTheNextText) {
  // Long enough that no pair is cut.
  int64_t next = 0;
  for (const Example& example : pairs(100'000)) {
    const auto [a, b] = pair_of(example);
    if (example.random) continue;
    ++next;
    EXPECT_EQ(a.back() + 1, b.front());
  }
  EXPECT_GT(next, 20);
}

TEST_F(SentencePairsTest, HalfOfThePairsAreRandom) {
  // Documents so long that a single last sentence, which is always random, matters little.
  std::string document;
  for (int i = 0; i < 10'000; ++i) document += "w1 w2\n";
  const TextCorpus corpus = corpus_of(document + '\n' + document);
  const ExamplePlan plan = plan_examples(corpus, packed(ExampleMode::kSentencePairs, 43), 1);
  double random = 0;
  for (int64_t i = 0; i < plan.examples(); ++i) random += plan.example(i)[1].random;
  ASSERT_GT(plan.examples(), 1'200);
  // Three standard deviations.
  EXPECT_NEAR(random / static_cast<double>(plan.examples()), 0.5, 0.043);
}

TEST_F(SentencePairsTest, ASentenceAloneMeetsARandomOne) {
  const TextCorpus corpus = corpus_of("w0\n\nw1\n\nw2\nw3\n");
  for (uint64_t key = 0; key < 20; ++key) {
    for (const Example& example :
         examples_of(corpus, packed(ExampleMode::kSentencePairs, 10), key)) {
      if (pair_of(example).a.front() < kFirstWord + 2) {
        EXPECT_TRUE(example.random);
      }
    }
  }
}

TEST_F(SentencePairsTest, RandomTextComesFromAllOtherDocuments) {
  std::set<int64_t> from;
  for (uint64_t key = 0; key < 40; ++key) {
    for (const Example& example : pairs(64, 0.1, key)) {
      if (example.random) from.insert(document_of(pair_of(example).b.front()));
    }
  }
  EXPECT_EQ(std::ssize(from), corpus_.documents());
}

TEST_F(SentencePairsTest, WhatALeavesOverIsUsedAgain) {
  // Nothing is lost if nothing is cut.
  std::set<int32_t> seen;
  for (const Example& example : pairs(100'000, 0)) {
    const auto [a, b] = pair_of(example);
    seen.insert(a.begin(), a.end());
    if (!example.random) seen.insert(b.begin(), b.end());
  }
  EXPECT_EQ(std::ssize(seen), kWords);
}

TEST_F(SentencePairsTest, AShareOfThePairsIsShort) {
  const auto mean_length = [&](double share) {
    double tokens = 0;
    const auto examples = pairs(40, share);
    for (const Example& example : examples) tokens += static_cast<double>(example.tokens.size());
    return tokens / static_cast<double>(examples.size());
  };
  EXPECT_GT(mean_length(0), mean_length(0.5));
  EXPECT_GT(mean_length(0.5), mean_length(1));
}

TEST_F(SentencePairsTest, BothEndsOfALongSideAreCut) {
  const TextCorpus corpus =
      corpus_of("w0\nw1 w2 w3 w4 w5 w6 w7 w8 w9 w10 w11 w12 w13 w14 w15 w16\n\nw17\n");
  bool front = false, back = false;
  for (uint64_t key = 0; key < 30; ++key) {
    for (const Example& example :
         examples_of(corpus, packed(ExampleMode::kSentencePairs, 10), key)) {
      const auto [a, b] = pair_of(example);
      if (example.random || a.front() != kFirstWord) continue;
      EXPECT_EQ(a.size(), 1U);
      EXPECT_EQ(b.size(), 6U);
      front |= b.front() > kFirstWord + 1;
      back |= b.back() < kFirstWord + 16;
    }
  }
  EXPECT_TRUE(front);
  EXPECT_TRUE(back);
}

TEST_F(SentencePairsTest, TheLongerSideIsCut) {
  const std::string long_1 = "w0 w1 w2 w3 w4 w5 w6\n", long_2 = "w9 w10 w11 w12 w13 w14\n";
  const auto sizes = [&](const std::string& text) {
    std::set<std::pair<size_t, size_t>> seen;
    const TextCorpus corpus = corpus_of(text + "\nw20\n");
    for (uint64_t key = 0; key < 30; ++key) {
      for (const Example& example :
           examples_of(corpus, packed(ExampleMode::kSentencePairs, 11), key)) {
        const auto [a, b] = pair_of(example);
        if (!example.random) seen.emplace(a.size(), b.size());
      }
    }
    return seen;
  };
  EXPECT_THAT(sizes(long_1 + long_2), ElementsAre(std::pair(4, 4)));
  EXPECT_THAT(sizes(long_1 + "w9 w10 w11\n"), ElementsAre(std::pair(5, 3)));
  EXPECT_THAT(sizes("w9 w10 w11\n" + long_1), ElementsAre(std::pair(3, 5)));
}

TEST_F(SentencePairsTest, TheMiddleAndTheRandomSentenceVary) {
  const TextCorpus corpus = corpus_of("w0\nw1\nw2\nw3\n\nw4\nw5\nw6\n");
  std::set<size_t> lengths_of_a;
  std::set<int32_t> begins_of_b;
  for (uint64_t key = 0; key < 200; ++key) {
    const Example first = examples_of(corpus, packed(ExampleMode::kSentencePairs, 99), key)[0];
    const auto [a, b] = pair_of(first);
    EXPECT_EQ(a.front(), kFirstWord);
    lengths_of_a.insert(a.size());
    if (first.random) begins_of_b.insert(b.front() - kFirstWord);
  }
  EXPECT_THAT(lengths_of_a, ElementsAre(1, 2, 3));
  EXPECT_THAT(begins_of_b, ElementsAre(4, 5, 6));
}

TEST_F(SentencePairsTest, ThePairsAreAFunctionOfTheKey) {
  EXPECT_EQ(texts(pairs(64, 0.1, 3)), texts(pairs(64, 0.1, 3)));
  EXPECT_NE(texts(pairs(64, 0.1, 3)), texts(pairs(64, 0.1, 4)));
}

TEST_F(SentencePairsTest, NeedsDocumentsAndSentences) {
  const auto error_of = [&](const std::string& text) -> std::string {
    try {
      examples_of(corpus_of(text), packed(ExampleMode::kSentencePairs, 10));
    } catch (const DataError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_THAT(error_of("w0\nw1\n"), HasSubstr("the corpus has one document"));
  EXPECT_THAT(error_of("w0\n\nw1\n"), HasSubstr("one sentence in each document"));
  EXPECT_EQ(error_of("w0\n\nw1\nw2\n"), "no error");
}

TEST(ExampleOptionsTest, ModesHaveNames) {
  EXPECT_EQ(parse_example_mode("full-sentences"), ExampleMode::kFullSentences);
  EXPECT_EQ(parse_example_mode("document"), ExampleMode::kDocument);
  EXPECT_EQ(parse_example_mode("sentence-pairs"), ExampleMode::kSentencePairs);
  EXPECT_THROW(parse_example_mode("sentences"), ConfigError);
}

TEST(ExampleOptionsTest, AllProblemsAreTold) {
  EXPECT_THAT(ExampleOptions{}.problems(), SizeIs(0));
  EXPECT_THAT(packed(ExampleMode::kDocument, 3).problems(), SizeIs(0));
  EXPECT_THAT(packed(ExampleMode::kSentencePairs, 5).problems(), SizeIs(0));
  EXPECT_THAT(packed(ExampleMode::kDocument, 2).problems(), ElementsAre(HasSubstr("3 to")));
  EXPECT_THAT(packed(ExampleMode::kDocument, int64_t{1} << 21).problems(), SizeIs(1));
  ExampleOptions wrong = packed(ExampleMode::kSentencePairs, 4);
  wrong.short_share = -0.1;
  EXPECT_THAT(wrong.problems(), ElementsAre(HasSubstr("5 to"), HasSubstr("short pairs")));
}

}  // namespace
}  // namespace dietmt::data
