#include "data/text/sentencepiece_bert.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "common/error.h"
#include "common/files.h"
#include "data/text/source_text.h"
#include "data/text/tokenizer_training.h"
#include "tests/common/test_directory.h"
#include "tests/data/toy_text.h"

namespace dietmt::data {
namespace {

using namespace std::string_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kWordBegin = "\u2581";

class SentencePieceBertTest : public ToyTextTest {
 protected:
  SentencePieceBert trained(const std::string& type, bool lowercase = false) const {
    TokenizerOptions options;
    options.inputs = {source_file(), target_file()};
    options.vocabulary_size = 100;
    options.type = type;
    options.special = SpecialSet::kBert;
    options.lowercase = lowercase;
    train_tokenizer(options, scratch() / "bert.model");
    return SentencePieceBert(scratch() / "bert.model");
  }

  // The bytes that each piece covers.
  static std::vector<std::string> covered(const BertTokenizer& tokenizer, const std::string& text) {
    const TextPieces pieces = tokenizer.encode(text);
    std::vector<std::string> parts;
    for (size_t i = 0; i < pieces.ids.size(); ++i) {
      const auto begin = static_cast<size_t>(pieces.begins[i]);
      parts.push_back(text.substr(begin, static_cast<size_t>(pieces.ends[i]) - begin));
    }
    return parts;
  }
};

TEST_F(SentencePieceBertTest, SpecialPiecesHaveTheFirstIds) {
  for (const std::string type : {"bpe", "unigram"}) {
    const SentencePieceBert model = trained(type);
    EXPECT_EQ(model.vocabulary_size(), 100);
    for (const auto& [id, name] :
         {std::pair{0, "[PAD]"}, {1, "[UNK]"}, {2, "[CLS]"}, {3, "[SEP]"}, {4, "[MASK]"}})
      EXPECT_EQ(model.piece(id), name);
    EXPECT_EQ(model.special().mask, 4);
    EXPECT_EQ(model.special().unknown, 1);
    EXPECT_THROW(model.piece(100), Error);
  }
}

TEST_F(SentencePieceBertTest, FairseqPutsItsPiecesBeforeThoseOfTheModel) {
  trained("unigram");
  EXPECT_THAT(message_of<DataError>(
                  [&] { SentencePieceBert(scratch() / "bert.model", PieceNumbering::kFairseq); }),
              HasSubstr("piece 0 of the sentencepiece model is not <unk>, as in XLM-R"));

  TokenizerOptions options;
  options.inputs = {source_file()};
  options.vocabulary_size = 60;
  train_tokenizer(options, scratch() / kFairseqModelFile);
  const auto tokenizer = load_bert_tokenizer(scratch() / kFairseqModelFile);
  EXPECT_EQ(tokenizer->vocabulary_size(), 62);
  for (const auto& [id, name] :
       {std::pair{0, "<s>"}, {1, "<pad>"}, {2, "</s>"}, {3, "<unk>"}, {61, "<mask>"}})
    EXPECT_EQ(tokenizer->piece(id), name);
  EXPECT_THROW(tokenizer->piece(62), Error);

  const std::string text = "<s>koko <mask> \u6f22</s>";
  const TextPieces pieces = tokenizer->encode(text);
  EXPECT_EQ(pieces.ids.front(), 0);
  EXPECT_EQ(pieces.ids.back(), 2);
  EXPECT_EQ(std::ranges::count(pieces.ids, 61), 1);
  EXPECT_EQ(std::ranges::count(pieces.ids, 3), 1);
  EXPECT_EQ(tokenizer->decode(tokenizer->encode("koko riba").ids), "koko riba");

  tokenizer->save(scratch() / "saved");
  EXPECT_EQ(load_bert_tokenizer(scratch() / "saved")->encode(text).ids, pieces.ids);
}

TEST_F(SentencePieceBertTest, PiecesCoverTheText) {
  for (const std::string type : {"bpe", "unigram"}) {
    const SentencePieceBert model = trained(type);
    for (const std::string& line : text_.target) {
      const TextPieces pieces = model.encode(line);
      EXPECT_EQ(model.decode(pieces.ids), line);
      for (size_t i = 0; i < pieces.ids.size(); ++i) {
        std::string text = model.piece(pieces.ids[i]);
        EXPECT_EQ(model.continues_word(pieces.ids[i]), !text.starts_with(kWordBegin));
        if (text.starts_with(kWordBegin)) text.erase(0, kWordBegin.size());
        const auto begin = static_cast<size_t>(pieces.begins[i]);
        EXPECT_EQ(line.substr(begin, static_cast<size_t>(pieces.ends[i]) - begin), text);
      }
    }
  }
}

TEST_F(SentencePieceBertTest, SpecialPiecesInTheText) {
  const SentencePieceBert model = trained("bpe");
  const std::string text = "tuba [MASK]riko[SEP]";
  const TextPieces pieces = model.encode(text);
  EXPECT_EQ(pieces.ids.back(), 3);
  EXPECT_THAT(pieces.ids, ::testing::Contains(4));
  std::string joined;
  for (const std::string& part : covered(model, text)) joined += part;
  EXPECT_EQ(joined, "tuba[MASK]riko[SEP]");
  EXPECT_EQ(model.decode(pieces.ids), "tuba riko");
  for (const int32_t id : {0, 2, 3, 4}) EXPECT_FALSE(model.continues_word(id)) << id;
  EXPECT_THAT(model.encode("").ids, IsEmpty());
}

TEST_F(SentencePieceBertTest, UnknownCharactersAreOnePieceInsideTheirWord) {
  const SentencePieceBert model = trained("bpe");
  const TextPieces pieces = model.encode("  \u6F22\u5B57");
  EXPECT_EQ(model.piece(pieces.ids[0]), kWordBegin);
  EXPECT_THAT(pieces.ids, ElementsAre(::testing::_, 1));
  EXPECT_THAT(pieces.begins, ElementsAre(2, 2));
  EXPECT_THAT(pieces.ends, ElementsAre(2, 8));
  EXPECT_FALSE(model.continues_word(pieces.ids[0]));
  EXPECT_TRUE(model.continues_word(1));
}

TEST_F(SentencePieceBertTest, PlacesAreThoseOfTheTextBeforeNormalisation) {
  const SentencePieceBert model = trained("bpe");
  // White space of any length and kind, full-width letters, a ligature, bytes that are not UTF-8.
  EXPECT_EQ(model.encode("tuba \t\u3000 riko").ids, model.encode("tuba riko").ids);
  std::string joined;
  for (const std::string& part : covered(model, " tuba \t\u3000 riko  ")) joined += part;
  EXPECT_EQ(joined, "tubariko");
  EXPECT_EQ(model.encode("\uFF42\uFF41").ids, model.encode("ba").ids);
  EXPECT_EQ(covered(model, "\uFF42\uFF41").back().substr(0, 1), "\xEF");
  const TextPieces invalid = model.encode("ba\xFF\xFEko");
  EXPECT_EQ(invalid.ids, model.encode("ba ko").ids);
  EXPECT_EQ(invalid.ends.back(), 6);
  EXPECT_EQ(invalid.begins.front(), 0);
}

TEST_F(SentencePieceBertTest, TheLettersOfALigatureHaveAllItsBytes) {
  // "st" of the toy text as one character and then as two.
  const SentencePieceBert model = trained("bpe");
  for (const std::string text : {"\uFB06a", "\uFB06\uFB06", "l\uFB06"}) {
    const TextPieces pieces = model.encode(text);
    int32_t covered_to = 0;
    for (size_t i = 0; i < pieces.ids.size(); ++i) {
      EXPECT_LE(pieces.begins[i], covered_to);
      EXPECT_EQ(pieces.begins[i] == pieces.ends[i], model.piece(pieces.ids[i]) == kWordBegin);
      covered_to = pieces.ends[i];
    }
    EXPECT_EQ(covered_to, static_cast<int32_t>(text.size()));
  }
}

// No piece contains white space that sentencepiece's rules know and ours do not.
TEST_F(SentencePieceBertTest, AWordBeginsBehindWhatCountsAsWhiteSpace) {
  const SentencePieceBert model = trained("bpe");
  const std::vector<int32_t> apart = model.encode("tuba riko").ids;
  int separators = 0;
  for (char32_t code = 1; code < 0x10000; ++code) {
    if (code >= 0xD800 && code < 0xE000) continue;
    std::string between;
    append_utf8(code, between);
    const TextPieces pieces = model.encode("tuba" + between + "riko");
    if (pieces.ids != apart) continue;
    ++separators;
    const std::string where = "character " + std::to_string(static_cast<uint32_t>(code));
    const size_t second = [&] {
      size_t i = 1;
      while (model.continues_word(pieces.ids[i])) ++i;
      return i;
    }();
    EXPECT_EQ(pieces.begins[second], static_cast<int32_t>(4 + between.size())) << where;
    EXPECT_EQ(pieces.ends[second - 1], 4) << where;
  }
  EXPECT_GT(separators, 20);
}

TEST_F(SentencePieceBertTest, LowercaseFoldsCase) {
  const SentencePieceBert folding = trained("bpe", true);
  EXPECT_EQ(folding.encode("TUBA Riko\u00DC").ids, folding.encode("tuba riko\u00FC").ids);
  EXPECT_EQ(folding.decode(folding.encode("TUBA").ids), "tuba");
  const SentencePieceBert keeping = trained("bpe");
  EXPECT_THAT(keeping.encode("TUBA").ids, ::testing::Contains(1));
}

TEST_F(SentencePieceBertTest, SavingAndLoading) {
  const SentencePieceBert model = trained("unigram");
  model.save(scratch() / "saved");
  for (const auto& path : {scratch() / "saved", scratch() / "saved" / "tokenizer.model"})
    EXPECT_EQ(load_bert_tokenizer(path)->encode(text_.source[0]).ids,
              model.encode(text_.source[0]).ids);
  EXPECT_EQ(read_file(scratch() / "saved" / "tokenizer.model"),
            read_file(scratch() / "bert.model"));
}

TEST_F(SentencePieceBertTest, AModelForTranslationIsRefused) {
  try {
    const SentencePieceBert model(scratch() / "toy.model");
    FAIL() << "no error";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("toy.model"));
  }
  write_file_atomically(scratch() / "translation.model", tokenizer().serialized());
  try {
    const SentencePieceBert model(scratch() / "translation.model");
    FAIL() << "no error";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("translation.model"), HasSubstr("[PAD]")));
  }
}

TEST_F(SentencePieceBertTest, NamesOfSpecialSets) {
  EXPECT_EQ(special_set_from_name("bert"), SpecialSet::kBert);
  EXPECT_EQ(special_set_from_name("translation"), SpecialSet::kTranslation);
  EXPECT_THROW(special_set_from_name("gpt"), ConfigError);
}

}  // namespace
}  // namespace dietmt::data
