#include "data/text/subword_sampler.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <sstream>

#include "common/error.h"
#include "common/files.h"
#include "data/text/model_pieces.h"
#include "data/text/tokenizer_training.h"
#include "tests/common/test_directory.h"
#include "tests/data/toy_text.h"

namespace dietmt::data {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Pieces = std::vector<int32_t>;

class SubwordSamplerTest : public ToyTextTest {
 protected:
  SubwordSamplerTest() : unigram_(trained("unigram")), bpe_(trained("bpe")) {}

  Tokenizer trained(const std::string& type) const {
    TokenizerOptions options;
    options.inputs = {source_file()};
    options.vocabulary_size = 60;
    options.type = type;
    options.tags = {"<2de>"};
    train_tokenizer(options, scratch() / type);
    return Tokenizer(scratch() / type);
  }

  static Pieces with_end(Pieces ids, const Tokenizer& tokenizer) {
    ids.push_back(tokenizer.end_id());
    return ids;
  }

  // A word that is a single piece of the unigram model.
  std::string whole_word() const {
    for (const std::string& line : text_.source) {
      std::istringstream words(line);
      for (std::string word; words >> word;)
        if (unigram_.encode(word).size() == 1) return word;
    }
    ADD_FAILURE() << "no word is a piece";
    return "";
  }

  Tokenizer unigram_, bpe_;
};

// Every way to spell `text` with normal pieces, with the sum of their scores.
void add_spellings(const Tokenizer& tokenizer, const std::map<std::string, double>& scores,
                   const std::string& text, const Pieces& before, double score,
                   std::map<Pieces, double>& all) {
  if (text.empty()) all[before] = score;
  for (int32_t id = 0; id < tokenizer.vocabulary_size(); ++id) {
    const std::string piece = tokenizer.piece(id);
    if (!scores.contains(piece) || !text.starts_with(piece)) continue;
    Pieces more = before;
    more.push_back(id);
    add_spellings(tokenizer, scores, text.substr(piece.size()), more, score + scores.at(piece),
                  all);
  }
}

TEST_F(SubwordSamplerTest, ReadsPiecesAndKindsOfModels) {
  for (const Tokenizer* tokenizer : {&unigram_, &bpe_}) {
    const ModelPieces model = model_pieces(tokenizer->sentencepiece());
    EXPECT_EQ(model.model, tokenizer == &bpe_ ? SubwordModel::kBpe : SubwordModel::kUnigram);
    ASSERT_EQ(std::ssize(model.pieces), tokenizer->vocabulary_size());
    std::set<std::string> special;
    for (int32_t id = 0; id < tokenizer->vocabulary_size(); ++id) {
      const ModelPiece& piece = model.pieces[static_cast<size_t>(id)];
      EXPECT_EQ(piece.text, tokenizer->piece(id));
      EXPECT_LE(piece.score, 0.0);
      if (!piece.normal) special.insert(piece.text);
    }
    EXPECT_EQ(special, (std::set<std::string>{"<unk>", "<s>", "</s>", "\xE2\x96\x81<2de>"}));
  }
  EXPECT_THROW(model_pieces("\x0a\xff"), DataError);
}

TEST_F(SubwordSamplerTest, DrawsSpellTheSameTextInManyWays) {
  const auto expect_draws = [&](const Tokenizer& tokenizer, const auto& sampler) {
    const std::string text = "<2de> " + text_.source[3] + " \xF0\x9F\x8D\x8E " + text_.source[4];
    const Pieces ids = with_end(tokenizer.encode(text), tokenizer);
    std::set<Pieces> seen;
    for (uint64_t key = 0; key < 50; ++key) {
      const Pieces drawn = sampler->sample(ids, key);
      EXPECT_EQ(tokenizer.decode(drawn), tokenizer.decode(ids));
      EXPECT_EQ(drawn.front(), ids.front());
      EXPECT_EQ(drawn.back(), tokenizer.end_id());
      EXPECT_EQ(std::ranges::count(drawn, tokenizer.unknown_id()), 1);
      EXPECT_EQ(drawn, sampler->sample(ids, key));
      seen.insert(drawn);
    }
    EXPECT_GT(seen.size(), 40U);
  };
  expect_draws(unigram_, unigram_sampler(unigram_, 0.2));
  expect_draws(bpe_, bpe_dropout(bpe_, 0.2));
}

TEST_F(SubwordSamplerTest, TheUsualPiecesAreTheLimit) {
  for (size_t line = 0; line < 30; ++line) {
    const Pieces usual = bpe_.encode(text_.source[line]);
    EXPECT_EQ(bpe_dropout(bpe_, 0.0)->sample(usual, line), usual);
    const Pieces likeliest = unigram_.encode(text_.source[line]);
    EXPECT_EQ(unigram_sampler(unigram_, 1000.0)->sample(likeliest, line), likeliest);
  }
}

TEST_F(SubwordSamplerTest, WithoutMergesTextIsCharacters) {
  const Pieces drawn = bpe_dropout(bpe_, 0.999999)->sample(bpe_.encode("kori tu"), 1);
  EXPECT_EQ(drawn.size(), 8U);  // with the mark before each word
}

TEST_F(SubwordSamplerTest, AUnigramDrawHasItsProbability) {
  constexpr double kAlpha = 0.3;
  constexpr int kDraws = 20'000;
  std::map<std::string, double> scores;
  for (const ModelPiece& piece : model_pieces(unigram_.sentencepiece()).pieces)
    if (piece.normal) scores[piece.text] = piece.score;
  std::map<Pieces, double> expected;
  const std::string word = whole_word();
  add_spellings(unigram_, scores, "\xE2\x96\x81" + word, {}, 0.0, expected);
  ASSERT_GE(expected.size(), 4U);
  double total = 0.0;
  for (auto& [ids, score] : expected) total += score = std::exp(kAlpha * score);

  const auto sampler = unigram_sampler(unigram_, kAlpha);
  std::map<Pieces, int> counts;
  for (uint64_t key = 0; key < kDraws; ++key) ++counts[sampler->sample(unigram_.encode(word), key)];
  for (const auto& [ids, weight] : expected) {
    const double p = weight / total;
    EXPECT_NEAR(counts[ids], kDraws * p, 5.0 * std::sqrt(kDraws * p * (1.0 - p)) + 1.0);
    counts.erase(ids);
  }
  EXPECT_TRUE(counts.empty());
}

// The model has one merge.
TEST_F(SubwordSamplerTest, AMergeIsLeftOutWithItsProbability) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "ba ko\n";
  TokenizerOptions options;
  options.inputs = {write("pairs", text)};
  options.vocabulary_size = 9;  // three special pieces, five characters, one merge
  train_tokenizer(options, scratch() / "pairs.model");
  const Tokenizer pairs(scratch() / "pairs.model");
  const Pieces ids = pairs.encode("ba ko");
  constexpr int kDraws = 10'000;
  constexpr double kP = 0.3;
  const auto sampler = bpe_dropout(pairs, kP);
  int split = 0;
  for (uint64_t key = 0; key < kDraws; ++key)
    if (sampler->sample(ids, key).size() > ids.size()) ++split;
  EXPECT_NEAR(split, kDraws * kP, 5.0 * std::sqrt(kDraws * kP * (1.0 - kP)));
}

// The model has the merges ab and cd, in this order. A merge that was skipped comes again.
TEST_F(SubwordSamplerTest, EachStepLeavesMergesOutAnew) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "xab yab zab wab vab xcd ycd zcd wcd\n";
  TokenizerOptions options;
  options.inputs = {write("steps", text)};
  options.vocabulary_size = 15;  // three special pieces, ten characters, two merges
  train_tokenizer(options, scratch() / "steps.model");
  const Tokenizer steps(scratch() / "steps.model");
  const Pieces ids = steps.encode("abcd");
  ASSERT_EQ(ids.size(), 3U);  // with the mark
  constexpr int kDraws = 10'000;
  constexpr double kP = 0.3;
  const auto sampler = bpe_dropout(steps, kP);
  std::map<size_t, int> counts;  // of draws with this many pieces
  for (uint64_t key = 0; key < kDraws; ++key) ++counts[sampler->sample(ids, key).size()];
  constexpr double kQ = 1.0 - kP;
  for (const auto& [pieces, probability] :
       {std::pair(size_t{3}, kQ * kQ * (1 + kP)), std::pair(size_t{4}, kP * kQ * (1 + kP)),
        std::pair(size_t{5}, kP * kP)})
    EXPECT_NEAR(counts[pieces], kDraws * probability,
                5.0 * std::sqrt(kDraws * probability * (1.0 - probability)))
        << pieces;
}

TEST_F(SubwordSamplerTest, PiecesOutsideTheVocabularyAreNotDrawn) {
  PieceVocabulary vocabulary = sentencepiece_vocabulary(scratch() / "unigram");
  const int32_t missing = unigram_.encode(whole_word()).front();
  vocabulary.pieces[static_cast<size_t>(missing)] = "elsewhere";
  const Tokenizer renumbered(scratch() / "unigram", vocabulary);
  const auto sampler = unigram_sampler(renumbered, 0.3);
  const Pieces ids = renumbered.encode("ko " + whole_word());
  for (uint64_t key = 0; key < 50; ++key)
    EXPECT_EQ(std::ranges::count(sampler->sample(ids, key), missing), 0);
}

TEST_F(SubwordSamplerTest, RefusesTheOtherKindOfModel) {
  EXPECT_THAT(message_of<ConfigError>([&] { unigram_sampler(bpe_, 0.1); }),
              AllOf(HasSubstr(bpe_.file()), HasSubstr("a BPE model: use --bpe-dropout")));
  EXPECT_THAT(message_of<ConfigError>([&] { bpe_dropout(unigram_, 0.1); }),
              AllOf(HasSubstr(unigram_.file()), HasSubstr("use --subword-sampling")));
}

}  // namespace
}  // namespace dietmt::data
