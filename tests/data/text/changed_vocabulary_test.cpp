// Vocabularies with more pieces (extended_pieces.h) and with fewer (trimmed_pieces.h).
#include <gmock/gmock.h>
#include <unicode/uscript.h>

#include <algorithm>
#include <map>

#include "common/error.h"
#include "data/text/extended_pieces.h"
#include "data/text/merge_learner.h"
#include "data/text/piece_list.h"
#include "data/text/tokenizer_training.h"
#include "data/text/trimmed_pieces.h"
#include "tests/common/test_directory.h"
#include "tests/data/toy_text.h"

namespace dietmt::data {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

using TokenizerPointer = std::shared_ptr<const Tokenizer>;

std::vector<std::string> words_of_pieces(const Tokenizer& tokenizer, const std::string& line) {
  std::vector<std::string> pieces;
  for (const int32_t id : tokenizer.encode(line)) pieces.push_back(tokenizer.piece(id));
  return pieces;
}

// A type of sentencepiece model, and whether its pieces have other ids than its own.
struct Kind {
  const char* type;
  bool is_numbered;
};

class ChangedVocabularyTest : public ToyTextTest, public testing::WithParamInterface<Kind> {
 protected:
  ChangedVocabularyTest() {
    TokenizerOptions options;
    options.inputs = {source_file(), target_file()};
    options.vocabulary_size = 200;
    options.type = GetParam().type;
    options.tags = {"<2de>"};
    options.byte_fallback = false;
    train_tokenizer(options, scratch() / "model");
    tokenizer_ = std::make_shared<const Tokenizer>(scratch() / "model");
    if (GetParam().is_numbered) tokenizer_ = numbered();
  }

  // In reverse order, with two pieces that the model lacks and without one that it has.
  TokenizerPointer numbered() const {
    PieceVocabulary vocabulary = sentencepiece_vocabulary(scratch() / "model");
    std::ranges::reverse(vocabulary.pieces);
    std::erase(vocabulary.pieces, vocabulary.pieces[100]);
    vocabulary.pieces.insert(vocabulary.pieces.begin(), {"__de__", "__fr__"});
    const auto id = [&](const char* piece) { return piece_id(vocabulary.pieces, piece); };
    vocabulary.unknown = id("<unk>");
    vocabulary.begin = id("<s>");
    vocabulary.end = id("</s>");
    vocabulary.tags = {0, 1};
    return std::make_shared<const Tokenizer>(scratch() / "model", vocabulary);
  }

  TokenizerPointer tokenizer_;
};

TEST_P(ChangedVocabularyTest, TrimmedOnesCutTheTextAsBefore) {
  PieceTrimmer trimmer(tokenizer_);
  const std::vector<std::string> used(text_.source.begin(), text_.source.begin() + 2);
  for (const std::string& line : used) trimmer.use(line);
  const std::vector<bool> kept = trimmer.kept();
  const TokenizerPointer fewer = trimmer.only(kept);
  EXPECT_LT(fewer->vocabulary_size(), tokenizer_->vocabulary_size() - 20);
  EXPECT_EQ(fewer->vocabulary_size(), std::ranges::count(kept, true));
  std::vector<int32_t> moved;  // of the old ids
  int32_t next = 0;
  for (const bool is_kept : kept) moved.push_back(is_kept ? next++ : -1);
  for (const std::string& line : used) {
    std::vector<int32_t> expected;
    for (const int32_t id : tokenizer_->encode(line))
      expected.push_back(moved[static_cast<size_t>(id)]);
    EXPECT_EQ(fewer->encode(line), expected) << line;
  }
  EXPECT_EQ(fewer->piece(fewer->end_id()), "</s>");
  EXPECT_EQ(fewer->piece(fewer->unknown_id()), tokenizer_->piece(tokenizer_->unknown_id()));
  if (GetParam().is_numbered) return;             // its model has a piece that the vocabulary lacks
  for (const std::string& line : text_.target) {  // it has other letters and words
    if (std::ranges::count(tokenizer_->encode(line), tokenizer_->unknown_id()) > 0) continue;
    EXPECT_THAT(fewer->encode(line), Not(Contains(fewer->unknown_id()))) << line;
    EXPECT_EQ(fewer->decode(fewer->encode(line)), line);
  }
}

TEST_P(ChangedVocabularyTest, TagsOfOtherLanguagesCanGo) {
  if (!GetParam().is_numbered) GTEST_SKIP() << "has no tags of languages";
  PieceTrimmer trimmer(tokenizer_);
  trimmer.use(text_.source[0]);
  trimmer.drop_tags({"__fr__"});
  const TokenizerPointer fewer = trimmer.only(trimmer.kept());
  EXPECT_EQ(fewer->piece(fewer->encode("__de__ ba")[0]), "__de__");
  EXPECT_TRUE(fewer->is_tag(fewer->encode("__de__ ba")[0]));
  EXPECT_NE(fewer->piece(fewer->encode("__fr__ ba")[0]), "__fr__");
}

TEST_P(ChangedVocabularyTest, ExtendedOnesWriteNewCharactersAndWords) {
  PieceLearner learner(tokenizer_);
  const std::string text = "\u0431\u0430\u0440\u0430 kokoko lenlenlen \u0431\u0430\u0440 5\u20AC";
  for (int i = 0; i < 3; ++i) learner.add(text);
  learner.add("\u0436\x01\uFFFD");
  const std::vector<NewPiece> learned = learner.learn(40);
  std::vector<std::string> texts;
  for (const NewPiece& piece : learned) texts.push_back(piece.text);
  // Characters by frequency, though not those that nobody sees; then what they form.
  EXPECT_THAT(std::vector(texts.begin(), texts.begin() + 6),
              testing::UnorderedElementsAre("\u0431", "\u0430", "\u0440", "5", "\u20AC", "\u0436"));
  EXPECT_EQ(texts[0], "\u0430");
  EXPECT_EQ(texts[5], "\u0436");
  EXPECT_GT(texts.size(), 10U);
  const TokenizerPointer more = learner.with(texts, learned);
  EXPECT_EQ(more->vocabulary_size(), tokenizer_->vocabulary_size() + std::ssize(texts));
  for (int32_t id = 0; id < tokenizer_->vocabulary_size(); ++id)
    EXPECT_EQ(more->piece(id), tokenizer_->piece(id));
  EXPECT_THAT(more->encode(text), Not(Contains(more->unknown_id())));
  EXPECT_EQ(more->decode(more->encode(text)), text);
  EXPECT_LT(more->encode(text).size(), tokenizer_->encode(text).size());
  EXPECT_THAT(words_of_pieces(*more, text), Contains("\u2581\u0431\u0430\u0440"));
  // Text without new pieces is cut as before.
  for (const std::string& line : text_.source) {
    const std::vector<int32_t> ids = more->encode(line);
    const bool is_old =
        std::ranges::all_of(ids, [&](int32_t id) { return id < tokenizer_->vocabulary_size(); });
    EXPECT_TRUE(!is_old || ids == tokenizer_->encode(line)) << line;
  }
}

TEST_P(ChangedVocabularyTest, NewPiecesKnowTheirParts) {
  PieceLearner learner(tokenizer_);
  for (const std::string& line : text_.source) learner.add(line);
  const std::vector<NewPiece> learned = learner.learn(20);
  ASSERT_EQ(learned.size(), 20U);
  std::vector<std::string> texts;
  for (const NewPiece& piece : learned) {
    std::string joined;
    for (const int32_t part : piece.parts) joined += tokenizer_->piece(part);
    EXPECT_EQ(joined, piece.text);
    EXPECT_GT(piece.parts.size(), 1U);
    texts.push_back(piece.text);
  }
  const TokenizerPointer more = learner.with(texts, learned);
  std::map<int32_t, int> uses;
  size_t before = 0, after = 0;
  for (const std::string& line : text_.source) {
    before += tokenizer_->encode(line).size();
    for (const int32_t id : more->encode(line)) ++uses[id], ++after;
  }
  EXPECT_LT(after, before);
  int used = 0;
  for (int32_t id = 0; id < 20; ++id)
    used += uses.contains(static_cast<int32_t>(tokenizer_->vocabulary_size()) + id) ? 1 : 0;
  EXPECT_GE(used, 10) << "some only occur in longer new pieces";
}

INSTANTIATE_TEST_SUITE_P(Kinds, ChangedVocabularyTest,
                         testing::Values(Kind{"unigram", false}, Kind{"unigram", true},
                                         Kind{"bpe", false}, Kind{"bpe", true}));

class ScriptsTest : public ToyTextTest {};

TEST_F(ScriptsTest, PiecesOfOtherScriptsGo) {
  TokenizerOptions options;
  options.inputs = {
      write("text", "one two three 123\n\u043E\u0434\u0438\u043D \u0434\u0432\u0430\n")};
  options.vocabulary_size = 60;
  options.may_shrink = true;
  train_tokenizer(options, scratch() / "model");
  PieceTrimmer trimmer(std::make_shared<const Tokenizer>(scratch() / "model"));
  trimmer.drop_other_scripts(scripts_of("de"));
  trimmer.use_scripts(scripts_of("de"));
  const TokenizerPointer latin = trimmer.only(trimmer.kept());
  EXPECT_THAT(latin->encode("two 31"), Not(Contains(latin->unknown_id())));
  const Tokenizer all(scratch() / "model");
  EXPECT_EQ(words_of_pieces(*latin, "one two three"), words_of_pieces(all, "one two three"));
  for (int32_t id = 0; id < latin->vocabulary_size(); ++id)
    EXPECT_THAT(latin->piece(id), Not(HasSubstr("\u0434")));
}

TEST_F(ScriptsTest, AreThoseOfTheLanguage) {
  EXPECT_THAT(scripts_of("de"), ElementsAre(USCRIPT_LATIN));
  EXPECT_THAT(scripts_of("uk"), ElementsAre(USCRIPT_CYRILLIC));
  EXPECT_THAT(scripts_of("sr-Latn"), ElementsAre(USCRIPT_LATIN));
  EXPECT_THAT(scripts_of("ja"), Contains(USCRIPT_HIRAGANA));
  EXPECT_THAT(scripts_of("zh"), Contains(USCRIPT_HAN));
  EXPECT_THROW(scripts_of("nonsense"), DataError);
}

TEST_F(ScriptsTest, VocabulariesOfOtherKindsAreRefused) {
  const TokenizerPointer list = open_tokenizer(write("list", "<s>\n<pad>\n</s>\n<unk>\nred\n"));
  EXPECT_THAT(message_of<DataError>([&] { PieceTrimmer trimmer(list); }),
              HasSubstr("list: has a list of pieces; only a sentencepiece vocabulary"));
  EXPECT_THAT(message_of<DataError>([&] { PieceLearner learner(list); }), HasSubstr("list: "));
}

TEST(MergeLearnerTest, JoinsTheMostFrequentPairFirst) {
  MergeLearner learner;
  learner.add({1, 2, 3}, 5);
  learner.add({1, 2, 1, 2}, 1);
  learner.add({4, 4, 4}, 2);
  learner.add({7, 8}, 1);
  std::vector<std::pair<int32_t, int32_t>> joined;
  learner.learn(10, [&](int32_t left, int32_t right) {
    joined.emplace_back(left, right);
    return left == 4 ? -1 : 10 * left + right;
  });
  EXPECT_THAT(joined, ElementsAre(std::pair(1, 2), std::pair(12, 3), std::pair(4, 4)));
}

}  // namespace
}  // namespace dietmt::data
