#include "data/text/wordpiece.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "common/error.h"
#include "common/files.h"
#include "common/text_io.h"
#include "tests/common/scratch.h"

namespace dietmt::data {
namespace {

using namespace std::string_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kPieces =
    "[PAD] [UNK] [CLS] [SEP] [MASK] "
    "! # $ ' ( ) + , - . ^ ` | ~ [ ] _ « » ‘ ’ – — … 。 、 ، a b c d e f g h i j k "
    "o s t u v w x y m n ##a ##b ##c ##d ##e ##f ##g ##h ##i ##j ##k ##n ##m ##o "
    "##x ##y ##t he hello Hello world World un Un ##aff ##able cafe café Cafe "
    "Café ang \u00E5ng Ång Ang ##str ##om ##öm berlin Berlin 我 爱 和 猫 ##我 ##爱 "
    "##berlin 豈 5 0 2 カ タ ナ の ##タ ##カ ##ナ ##の ##ガ ガ ｱ ᄒ ##ᅡ ##ᆫ ##ᄀ ##ᅮ ##ᆨ 한 "
    "##국 "
    "말 ᄆ ##ᆯ и Й ##о ##г ##а п ##р ##и ##в ##е ##т ह ##न ##द ##ि ##ी ##् ❤ 🐶 👨 "
    "##👩 ##👨 ##\uFE0F ok I ο ##δ ##ο ##σ ##ς ß ι ΐ ##\u0307 م ##ر ##ح ##ب ##ا "
    "##\u064E ۱ ##۲ Vi ##ệ viet nam Nam mask ##\u2E52 ##\u07FD ##ᲊ ##\u0378 ";

const BertTextOptions kUncased;
const BertTextOptions kCased{.lowercase = false};
const BertTextOptions kUncasedWithAccents{.strip_accents = false};
const BertTextOptions kCasedWithoutAccents{.lowercase = false, .strip_accents = true};
const BertTextOptions kIdeographsTogether{.split_chinese = false};

std::string lines_of(const std::string& pieces) {
  std::istringstream words(pieces);
  std::string lines;
  for (std::string word; words >> word;) lines += word + '\n';
  return lines;
}

class WordPieceTest : public ScratchTest {
 protected:
  WordPieceTokenizer tokenizer(const BertTextOptions& options = {}) const {
    return WordPieceTokenizer(write("vocab.txt", lines_of(kPieces)), options);
  }

  std::string error_of(const std::string& vocabulary) const {
    try {
      const WordPieceTokenizer refused(write("refused.txt", vocabulary), {});
    } catch (const DataError& error) {
      return error.what();
    }
    return "no error";
  }

  std::string text_options_error() const {
    try {
      read_text_options(scratch());
    } catch (const DataError& error) {
      return error.what();
    }
    return "no error";
  }
};

// piece@begin-end of all pieces.
std::string described(const BertTokenizer& tokenizer, const std::string& text) {
  const TextPieces pieces = tokenizer.encode(text);
  std::string description;
  for (size_t i = 0; i < pieces.ids.size(); ++i) {
    description += (i == 0 ? "" : " ") + tokenizer.piece(pieces.ids[i]) + '@' +
                   std::to_string(pieces.begins[i]) + '-' + std::to_string(pieces.ends[i]);
  }
  return description;
}

struct Case {
  BertTextOptions options;
  std::string text;
  std::string pieces;
};

// Pieces and spans from BertTokenizerFast (transformers 4.57.6, tokenizers 0.22.2).
const Case kCases[] = {
    {kUncased, "Hello, World! Unaffable Café."s,
     "hello@0-5 ,@5-6 world@7-12 !@12-13 un@14-16 ##aff@16-19 ##able@19-23 cafe@24-29 .@29-30"},
    {kCased, "Hello, World! Unaffable Café."s,
     "Hello@0-5 ,@5-6 World@7-12 !@12-13 Un@14-16 ##aff@16-19 ##able@19-23 Café@24-29 .@29-30"},
    {kUncased, "CAFE\u0301 café ÅNGström"s, "cafe@0-4 cafe@7-12 ang@13-17 ##str@17-20 ##om@20-23"},
    {kUncasedWithAccents, "CAFE\u0301 CAFÉ Ång"s, "[UNK]@0-6 café@7-12 \u00E5ng@13-17"},
    {kCasedWithoutAccents, "Café Cafe\u0301 Ång"s, "Cafe@0-5 Cafe@6-10 Ang@13-17"},
    {kUncased, "我爱Berlin和猫。"s, "我@0-3 爱@3-6 berlin@6-12 和@12-15 猫@15-18 。@18-21"},
    {kIdeographsTogether, "我爱Berlin和猫。"s, "[UNK]@0-18 。@18-21"},
    {kUncased, "カタカナのガ、ｱ"s,
     "カ@0-3 ##タ@3-6 ##カ@6-9 ##ナ@9-12 ##の@12-15 ##カ@15-18 、@18-21 ｱ@21-24"},
    {kCased, "カタカナのガ、ｱ"s,
     "カ@0-3 ##タ@3-6 ##カ@6-9 ##ナ@9-12 ##の@12-15 ##ガ@15-18 、@18-21 ｱ@21-24"},
    {kUncased, "한국 말"s,
     "ᄒ@0-3 ##ᅡ@0-3 ##ᆫ@0-3 ##ᄀ@3-6 ##ᅮ@3-6 ##ᆨ@3-6 ᄆ@7-10 ##ᅡ@7-10 ##ᆯ@7-10"},
    {kCased, "한국 말"s, "한@0-3 ##국@3-6 말@7-10"},
    {kUncased, "Йога, Привет"s,
     "и@0-2 ##о@2-4 ##г@4-6 ##а@6-8 ,@8-9 п@10-12 ##р@12-14 ##и@14-16 ##в@16-18 ##е@18-20 "
     "##т@20-22"},
    {kCased, "Йога, привет"s,
     "Й@0-2 ##о@2-4 ##г@4-6 ##а@6-8 ,@8-9 п@10-12 ##р@12-14 ##и@14-16 ##в@16-18 ##е@18-20 "
     "##т@20-22"},
    {kUncased, "हिन्दी"s, "ह@0-3 ##ि@3-6 ##न@6-9 ##द@12-15 ##ी@15-18"},
    {kCased, "हिन्दी"s, "ह@0-3 ##ि@3-6 ##न@6-9 ##्@9-12 ##द@12-15 ##ी@15-18"},
    {kUncased, "I ❤\uFE0F 🐶👨\u200D👩 ok"s, "i@0-1 ❤@2-5 🐶@9-13 ##👨@13-17 ##👩@20-24 ok@25-27"},
    {kCased, "I ❤\uFE0F 🐶👨\u200D👩 ok"s,
     "I@0-1 ❤@2-5 ##\uFE0F@5-8 🐶@9-13 ##👨@13-17 ##👩@20-24 ok@25-27"},
    {kUncased, "a\000b\001c\011d\015\012e\177f\u00ADg\u200Bh\uFEFFi\uFFFDj"s,
     "a@0-1 ##b@2-3 ##c@4-5 d@6-7 e@9-10 ##f@11-12 ##g@14-15 ##h@18-19 ##i@22-23 ##j@26-27"},
    {kUncased, "a\u00A0b\u3000c\u2028d\302\205e\u202Ff"s,
     "a@0-1 b@3-4 c@7-8 d@11-12 ##e@14-15 f@18-19"},
    {kUncased, "[MASK]he[MASK][SEP] [mask] [[CLS]] [MASK"s,
     "[MASK]@0-6 he@6-8 [MASK]@8-14 [SEP]@14-19 [@20-21 mask@21-25 ]@25-26 [@27-28 [CLS]@28-33 "
     "]@33-34 [@35-36 mask@36-40"},
    {kUncased, "İ ΟΔΟΣ ß ẞ ΐ"s, "i@0-2 ο@3-5 ##δ@5-7 ##ο@7-9 ##σ@9-11 ß@12-14 ß@15-18 ι@19-21"},
    {kUncasedWithAccents, "İ ΟΔΟΣ ß ẞ ΐ"s,
     "i@0-2 ##\u0307@0-2 ο@3-5 ##δ@5-7 ##ο@7-9 ##σ@9-11 ß@12-14 ß@15-18 ΐ@19-21"},
    {kUncased, "$5.0^2`x`~y a_b+c|d"s,
     "$@0-1 5@1-2 .@2-3 0@3-4 ^@4-5 2@5-6 `@6-7 x@7-8 `@8-9 ~@9-10 y@10-11 a@12-13 _@13-14 b@14-15 "
     "+@15-16 c@16-17 |@17-18 d@18-19"},
    {kUncased, "don't ‘b’ «c» – — d…e"s,
     "d@0-1 ##o@1-2 ##n@2-3 '@3-4 t@4-5 ‘@6-9 b@9-10 ’@10-13 «@14-16 c@16-17 »@17-19 –@20-23 "
     "—@24-27 d@28-29 …@29-32 e@32-33"},
    {kUncased, "مَرحبا، ۱۲"s, "م@0-2 ##ر@4-6 ##ح@6-8 ##ب@8-10 ##ا@10-12 ،@12-14 ۱@15-17 ##۲@17-19"},
    {kCased, "Việt Nam"s, "Vi@0-2 ##ệ@2-5 ##t@5-6 Nam@7-10"},
    {kUncased, "Việt Nam"s, "viet@0-6 nam@7-10"},
    {kUncased, "a\u2E52b a\u07FDb a\u1734b a\u166Db c\u1C89"s,
     "a@0-1 ##\u2E52@1-4 ##b@4-5 a@6-7 ##\u07FD@7-9 ##b@9-10 a@11-12 ##b@15-16 a@17-18 [UNK]@18-21 "
     "b@21-22 c@23-24 ##ᲊ@24-27"},
    {kUncased, "\U000E0041x\uE000y a\u0378b"s, "x@4-5 ##y@8-9 a@10-11 ##\u0378@11-13 ##b@13-14"},
    {kUncased, ""s, ""},
    {kUncased, " \011\u00A0 "s, ""},
    {kUncased, "hello hellox unaffablex xyzzy"s,
     "hello@0-5 hello@6-11 ##x@11-12 un@13-15 ##aff@15-18 ##able@18-22 ##x@22-23 [UNK]@24-29"},
    {kUncased, "豈\U0002B830x"s, "豈@0-3 [UNK]@3-8"},
};

TEST_F(WordPieceTest, PiecesAndPlacesAreThoseOfBertTokenizerFast) {
  for (const auto& [options, text, pieces] : kCases)
    EXPECT_EQ(described(tokenizer(options), text), pieces) << text;
}

TEST_F(WordPieceTest, IdsAreLineNumbers) {
  const WordPieceTokenizer model = tokenizer();
  EXPECT_EQ(model.piece(0), "[PAD]");
  EXPECT_EQ(model.piece(5), "!");
  EXPECT_THAT(model.encode("!#[MASK]").ids, ElementsAre(5, 6, 4));
  EXPECT_EQ(model.special().mask, 4);
  for (const int32_t id : {-1, static_cast<int32_t>(model.vocabulary_size())}) {
    EXPECT_THROW(model.piece(id), Error) << id;
    EXPECT_THROW(model.continues_word(id), Error) << id;
    EXPECT_THROW(model.decode(std::vector<int32_t>{id}), Error) << id;
  }
}

TEST_F(WordPieceTest, AWordHasAtMost100Characters) {
  const WordPieceTokenizer model = tokenizer();
  const std::string accented_e = "\u00E9";
  EXPECT_EQ(model.encode(std::string(100, 'a')).ids.size(), 100U);
  // Characters count, not bytes.
  EXPECT_EQ(model.encode(accented_e + std::string(99, 'e')).ids.size(), 100U);
  EXPECT_EQ(described(model, "b " + std::string(101, 'a') + " c"), "b@0-1 [UNK]@2-103 c@104-105");
}

TEST_F(WordPieceTest, BytesThatAreNotUtf8LeaveNoPiece) {
  EXPECT_EQ(described(tokenizer(),
                      "a\xFF"
                      "b \xE2\x82 c\xC3"),
            "a@0-1 ##b@2-3 c@7-8");
}

TEST_F(WordPieceTest, DecodingJoinsWordsAndLeavesOutSpecialPieces) {
  const WordPieceTokenizer model = tokenizer();
  EXPECT_EQ(model.decode(model.encode("[CLS] Unaffable, [MASK]hello![SEP]").ids),
            "unaffable , hello !");
  EXPECT_EQ(model.decode({}), "");
}

TEST_F(WordPieceTest, PiecesThatContinueAWord) {
  const WordPieceTokenizer model = tokenizer();
  const TextPieces pieces = model.encode("unaffable xyzzy [MASK]");
  std::vector<bool> continues;
  for (const int32_t id : pieces.ids) continues.push_back(model.continues_word(id));
  EXPECT_THAT(continues, ElementsAre(false, true, true, false, false));
}

TEST_F(WordPieceTest, SpecialPiecesStandAnywhereInTheVocabulary) {
  const WordPieceTokenizer model(write("late.txt", "a\n[SEP]\n[MASK]\n##b\n[CLS]\n[UNK]\n[PAD]"),
                                 {});
  EXPECT_EQ(model.special().pad, 6);
  EXPECT_EQ(model.special().separate, 1);
  EXPECT_THAT(model.encode("ab[SEP]b").ids, ElementsAre(0, 3, 1, 5));
}

TEST_F(WordPieceTest, LinesMayEndInCarriageReturn) {
  const WordPieceTokenizer model(
      write("dos.txt", "[PAD]\r\n[UNK]\r\n[CLS]\r\n[SEP]\r\n[MASK]\r\nhe\r\n"), {});
  EXPECT_THAT(model.encode("he").ids, ElementsAre(5));
}

TEST_F(WordPieceTest, WrongVocabulariesNameTheLine) {
  const std::string special = lines_of("[PAD] [UNK] [CLS] [SEP] [MASK]");
  EXPECT_THAT(error_of(special + "a\nb\na\n"),
              AllOf(HasSubstr("refused.txt:8: "), HasSubstr("'a'"), HasSubstr("line 6")));
  EXPECT_THAT(error_of(lines_of("[PAD] [UNK] [CLS] [SEP] a")),
              AllOf(HasSubstr("refused.txt:5: "), HasSubstr("[MASK]")));
  EXPECT_THAT(error_of(special + "a\n\xFF\n"), HasSubstr("refused.txt:7: the piece is not UTF-8"));
  EXPECT_THAT(error_of(""), HasSubstr("[PAD]"));
}

TEST_F(WordPieceTest, SavingAndLoading) {
  for (const BertTextOptions& options :
       {kUncased, kCased, kUncasedWithAccents, kCasedWithoutAccents, kIdeographsTogether}) {
    const WordPieceTokenizer model = tokenizer(options);
    model.save(scratch() / "saved");
    const auto loaded = load_bert_tokenizer(scratch() / "saved");
    const auto from_file = load_bert_tokenizer(scratch() / "saved" / "vocab.txt");
    EXPECT_EQ(read_file(scratch() / "saved" / "vocab.txt"), lines_of(kPieces));
    for (const Case& example : kCases) {
      EXPECT_EQ(described(*loaded, example.text), described(model, example.text));
      EXPECT_EQ(loaded->encode(example.text).ids, from_file->encode(example.text).ids);
    }
  }
}

TEST_F(WordPieceTest, TextOptionsComeFromTheConfigurations) {
  EXPECT_TRUE(read_text_options(scratch()).lowercase);
  EXPECT_EQ(read_text_options(scratch()).strip_accents, std::nullopt);
  EXPECT_TRUE(read_text_options(scratch()).split_chinese);

  write("config.json", R"({"do_lower_case": false, "hidden_size": 8})");
  EXPECT_FALSE(read_text_options(scratch()).lowercase);
  EXPECT_TRUE(read_text_options(scratch()).split_chinese);

  write("tokenizer_config.json",
        R"({"strip_accents": true, "tokenize_chinese_chars": false, "do_lower_case": null})");
  EXPECT_TRUE(read_text_options(scratch()).lowercase);
  EXPECT_EQ(read_text_options(scratch()).strip_accents, true);
  EXPECT_FALSE(read_text_options(scratch()).split_chinese);
}

TEST_F(WordPieceTest, WrongConfigurationsNameTheFile) {
  for (const char* content : {"", "[1, 2", R"({"do_lower_case": "yes"})"}) {
    write("tokenizer_config.json", content);
    EXPECT_THAT(text_options_error(), HasSubstr("tokenizer_config.json")) << content;
  }
}

TEST_F(WordPieceTest, LoadingNamesWhatIsMissing) {
  try {
    load_bert_tokenizer(scratch());
    FAIL() << "no error";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr(scratch().string()), HasSubstr("vocab.txt"),
                                    HasSubstr("tokenizer.model")));
  }
  EXPECT_THROW(load_bert_tokenizer(scratch() / "absent" / "vocab.txt"), DataError);
}

}  // namespace
}  // namespace dietmt::data
