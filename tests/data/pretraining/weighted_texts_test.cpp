// Pre-training on several texts with weights.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "common/error.h"
#include "data/corpus/corpus_shares.h"
#include "data/pretraining/pretraining_batches.h"
#include "tests/data/pretraining/numbered_corpus.h"

namespace dietmt::data {
namespace {

using Pieces = std::vector<int32_t>;

constexpr std::array kWeightedModes = {ExampleMode::kFullSentences, ExampleMode::kDocument,
                                       ExampleMode::kSentencePairs};
constexpr std::array<int64_t, 4> kFirstOfText = {0, 2000, 2600, 2750};

// Texts of 2000, 600 and 150 words that share no word.
class WeightedTextsTest : public NumberedCorpusTest {
 protected:
  WeightedTextsTest() {
    for (size_t t = 0; t + 1 < kFirstOfText.size(); ++t) {
      std::string text;
      for (int64_t word = kFirstOfText[t]; word < kFirstOfText[t + 1]; ++word) {
        text += 'w' + std::to_string(word) + (word % 5 == 4 ? '\n' : ' ');
        if (word % 30 == 29) text += '\n';
      }
      const std::string name = "text" + std::to_string(t);
      texts_.push_back(
          TextCorpus({write(name, text)}, tokenizer_, {}, scratch() / (name + "-cache"), 1));
    }
  }

  static PretrainingOptions options(ExampleMode mode, std::vector<double> weights = {3, 2, 1}) {
    PretrainingOptions options;
    options.examples.mode = mode;
    options.examples.length = 16;
    options.batch_tokens = 100;
    options.weights = std::move(weights);
    return options;
  }

  // The examples of an epoch before masking.
  std::vector<Pieces> epoch(const PretrainingOptions& wanted, int64_t number) const {
    PretrainingIterator batches(texts_, wanted, {number, 0});
    std::vector<Pieces> examples;
    do {
      const PretrainingBatch batch = batches.next();
      Pieces tokens = batch.tokens.tokens;
      for (size_t i = 0; i < batch.masked_rows.size(); ++i)
        tokens[static_cast<size_t>(batch.masked_rows[i])] = batch.masked_ids[i];
      for (size_t i = 0; i + 1 < batch.tokens.offsets.size(); ++i)
        examples.emplace_back(tokens.begin() + batch.tokens.offsets[i],
                              tokens.begin() + batch.tokens.offsets[i + 1]);
    } while (batches.position().batch < batches.batches_in_epoch());
    return examples;
  }

  static size_t text_of(const Pieces& example) {
    const auto next = std::ranges::upper_bound(kFirstOfText, token_of(example[1]));
    return static_cast<size_t>(next - kFirstOfText.begin() - 1);
  }

  static std::vector<int64_t> counts(const std::vector<Pieces>& examples) {
    std::vector<int64_t> counts(kFirstOfText.size() - 1);
    for (const Pieces& example : examples) ++counts[text_of(example)];
    return counts;
  }

  std::vector<TextCorpus> texts_;
};

TEST_F(WeightedTextsTest, EachTextHasTheShareOfItsWeight) {
  for (const ExampleMode mode : kWeightedModes) {
    for (const int64_t number : {0, 1, 5}) {
      const std::vector<Pieces> examples = epoch(options(mode), number);
      EXPECT_EQ(std::ssize(examples), std::ssize(epoch(options(mode, {}), number)));
      const auto all = static_cast<double>(examples.size());
      const std::vector<int64_t> found = counts(examples);
      for (size_t t = 0; t < 3; ++t)
        EXPECT_LT(std::abs(static_cast<double>(found[t]) - all * static_cast<double>(3 - t) / 6), 1)
            << t;
    }
  }
}

// The shares of Conneau & Lample 2019, 3.1: p_i^alpha / sum_j p_j^alpha.
TEST_F(WeightedTextsTest, ATemperatureIsTheInverseOfTheExponent) {
  constexpr double kAlpha = 0.7;
  std::vector<int64_t> tokens;
  for (const TextCorpus& text : texts_) tokens.push_back(text.tokens());
  const std::vector<Pieces> examples =
      epoch(options(ExampleMode::kFullSentences, temperature_weights(tokens, 1 / kAlpha)), 0);
  double sum = 0;
  for (const int64_t n : tokens) sum += std::pow(static_cast<double>(n) / 2750, kAlpha);
  const std::vector<int64_t> found = counts(examples);
  for (size_t t = 0; t < 3; ++t) {
    const double share = std::pow(static_cast<double>(tokens[t]) / 2750, kAlpha) / sum;
    EXPECT_LT(
        std::abs(static_cast<double>(found[t]) - share * static_cast<double>(examples.size())), 1);
  }
}

TEST_F(WeightedTextsTest, EveryExampleOfATextIsUsedEquallyOften) {
  for (const ExampleMode mode : {ExampleMode::kFullSentences, ExampleMode::kDocument}) {
    std::map<Pieces, int64_t> uses;
    for (const Pieces& example : epoch(options(mode, {}), 0)) uses[example] = 0;
    for (int64_t number = 0; number < 5; ++number) {
      for (const Pieces& example : epoch(options(mode), number)) ++uses.at(example);
      std::array<std::set<int64_t>, 3> counts;
      for (const auto& [example, count] : uses) counts[text_of(example)].insert(count);
      for (const std::set<int64_t>& different : counts)
        EXPECT_LE(*different.rbegin() - *different.begin(), 1) << number;
    }
  }
}

TEST_F(WeightedTextsTest, AnExampleUsedAgainHasAnotherMask) {
  PretrainingIterator batches(texts_, options(ExampleMode::kDocument, {0, 0, 1}));
  std::map<int32_t, std::set<std::vector<int32_t>>> masks;  // by the first word of the example
  std::map<int32_t, size_t> uses;
  do {
    const PretrainingBatch batch = batches.next();
    for (size_t i = 0; i + 1 < batch.tokens.offsets.size(); ++i) {
      std::vector<int32_t> masked;
      int32_t first = batch.tokens.tokens[static_cast<size_t>(batch.tokens.offsets[i]) + 2];
      for (size_t m = 0; m < batch.masked_rows.size(); ++m) {
        const int64_t row = batch.masked_rows[m] - batch.tokens.offsets[i];
        if (row == 2) first = batch.masked_ids[m];
        if (row >= 0 && batch.masked_rows[m] < batch.tokens.offsets[i + 1])
          masked.push_back(batch.masked_ids[m]);
      }
      masks[first].insert(masked);
      ++uses[first];
    }
  } while (batches.position().batch < batches.batches_in_epoch());
  for (const auto& [first, different] : masks) {
    EXPECT_GT(uses.at(first), 10U);
    EXPECT_GT(different.size(), 3U);
  }
}

TEST_F(WeightedTextsTest, ContinuesExactlyFromEveryPosition) {
  for (const ExampleMode mode : kWeightedModes) {
    PretrainingIterator whole(texts_, options(mode));
    std::vector<BatchPosition> positions = {whole.position()};
    Batches expected;
    while (whole.position().epoch < 2) {
      expected.push_back(whole.next());
      positions.push_back(whole.position());
    }
    for (size_t i = 0; i < expected.size(); i += 3) {
      PretrainingIterator resumed(texts_, options(mode), positions[i]);
      ASSERT_EQ(resumed.next(), expected[i]) << "from " << i;
    }
  }
}

TEST_F(WeightedTextsTest, ProcessesShareTheBatchesOfOne) {
  PretrainingOptions shared = options(ExampleMode::kFullSentences);
  shared.share = {.rank = 0, .processes = 2, .per_update = 2};
  PretrainingIterator whole(texts_, options(ExampleMode::kFullSentences)), first(texts_, shared);
  shared.share.rank = 1;
  PretrainingIterator second(texts_, shared);
  while (whole.position().epoch < 2) {
    EXPECT_EQ(first.next(), whole.next());
    second.skip();
    EXPECT_EQ(second.next(), whole.next());
    first.skip();
  }
}

TEST_F(WeightedTextsTest, OneTextNeedsNoWeights) {
  const std::span first = std::span(texts_).first(1);
  PretrainingIterator weighted(first, options(ExampleMode::kFullSentences, {2})),
      plain(first, options(ExampleMode::kFullSentences, {}));
  while (plain.position().epoch < 2) EXPECT_EQ(weighted.next(), plain.next());
}

TEST_F(WeightedTextsTest, ValidationHasNoWeights) {
  EXPECT_EQ(validation_batches(texts_[1], options(ExampleMode::kDocument)),
            validation_batches(texts_[1], options(ExampleMode::kDocument, {})));
}

TEST_F(WeightedTextsTest, WeightsMustFit) {
  for (const std::vector<double>& wrong :
       {std::vector<double>{1, 2}, std::vector<double>{0, 0, 0}, std::vector<double>{1, 1, -1}})
    EXPECT_THROW(PretrainingIterator(texts_, options(ExampleMode::kDocument, wrong)), ConfigError);
}

}  // namespace
}  // namespace dietmt::data
