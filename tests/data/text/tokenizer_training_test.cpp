#include "data/text/tokenizer_training.h"

#include <gmock/gmock.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include "common/error.h"
#include "data/text/tokenizer.h"
#include "tests/common/scratch.h"

namespace dietmt::data {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

class TokenizerTrainingTest : public ScratchTest {
 protected:
  TokenizerOptions options() const {
    TokenizerOptions options;
    options.inputs = {write("text",
                            "an area of 20 m² costs 2024 euros\nhalf a mile: ½, a third: ⅓\n"
                            "New York, New Jersey and the {name} of \"it\"\n")};
    options.vocabulary_size = 500;
    options.may_shrink = true;
    return options;
  }

  Tokenizer trained(const TokenizerOptions& options) const {
    train_tokenizer(options, scratch() / "model");
    return Tokenizer(scratch() / "model");
  }

  std::string problem_of(const TokenizerOptions& options) const {
    try {
      train_tokenizer(options, scratch() / "failed");
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "none";
  }
};

std::vector<std::string> pieces_of(const Tokenizer& tokenizer, std::string_view text) {
  std::vector<std::string> pieces;
  for (const int32_t id : tokenizer.encode(text)) pieces.push_back(tokenizer.piece(id));
  return pieces;
}

std::string round_trip(const Tokenizer& tokenizer, const std::string& text) {
  return tokenizer.decode(tokenizer.encode(text));
}

// White space and the mark of a word's start, which sentencepiece writes for it.
bool is_space_of_pieces(UChar32 code) { return u_isUWhiteSpace(code) || code == 0x2581; }

constexpr UChar32 kPlanesOfPrivateUse = 0xF0000;

std::string utf8(UChar32 code) {
  std::string text(U8_MAX_LENGTH, '\0');
  int32_t size = 0;
  U8_APPEND_UNSAFE(text.data(), size, code);
  text.resize(static_cast<size_t>(size));
  return text;
}

TEST_F(TokenizerTrainingTest, BytesWriteEveryCharacterOfUnicode) {
  TokenizerOptions chosen = options();
  chosen.byte_fallback = true;
  chosen.normalization = "none";
  for (const std::string type : {"bpe", "unigram"}) {
    chosen.type = type;
    const Tokenizer tokenizer = trained(chosen);
    int64_t tried = 0;
    const UChar32 step = type == "bpe" ? 1 : 101;
    for (UChar32 code = 1; code < kPlanesOfPrivateUse; code += step) {
      if (u_charType(code) == U_UNASSIGNED || U_IS_SURROGATE(code) || is_space_of_pieces(code))
        continue;
      const std::string text = "an " + utf8(code) + " area";
      const std::vector<int32_t> ids = tokenizer.encode(text);
      ASSERT_THAT(ids, Not(Contains(tokenizer.unknown_id()))) << std::hex << code;
      ASSERT_EQ(tokenizer.decode(ids), text) << std::hex << code;
      ++tried;
    }
    EXPECT_GT(tried, 140'000 / step);
  }
}

TEST_F(TokenizerTrainingTest, WithoutBytesACharacterWithoutAPieceIsUnknown) {
  const Tokenizer tokenizer = trained(options());
  EXPECT_THAT(tokenizer.encode("\u6F22"), Contains(tokenizer.unknown_id()));
}

TEST_F(TokenizerTrainingTest, TheBytesOfACharacterHaveItsSpan) {
  TokenizerOptions chosen = options();
  chosen.byte_fallback = true;
  const Tokenizer tokenizer = trained(chosen);
  const std::string text = "an \u6F22 area";
  const SpannedPieces pieces = tokenizer.encode_with_spans(text);
  int32_t end = 0;
  for (const TextSpan span : pieces.spans) {
    EXPECT_GE(span.begin, end == 0 ? 0 : end - 3);
    EXPECT_LE(span.begin, span.end);
    end = std::max(end, span.end);
  }
  EXPECT_EQ(end, static_cast<int32_t>(text.size()));
  EXPECT_EQ(tokenizer.decode_with_spans(pieces.ids).text, text);
}

TEST_F(TokenizerTrainingTest, NormalizationIsChosen) {
  TokenizerOptions chosen = options();
  EXPECT_EQ(round_trip(trained(chosen), "20 m²"), "20 m2");
  chosen.normalization = "nfkc";
  EXPECT_EQ(round_trip(trained(chosen), "20 m²"), "20 m2");
  chosen.normalization = "none";
  EXPECT_EQ(round_trip(trained(chosen), "20 m² ½"), "20 m² ½");
  chosen.lowercase = true;
  EXPECT_THAT(problem_of(chosen), HasSubstr("--lowercase needs --normalization"));
  chosen.normalization = "nfkc";
  EXPECT_EQ(round_trip(trained(chosen), "AN AREA"), "an area");
}

TEST_F(TokenizerTrainingTest, NfcUnitesALetterAndItsMarksAndNothingElse) {
  TokenizerOptions chosen = options();
  chosen.inputs = {write("accents", "cafe\u0301 ½ m² ™ ＡＢ Å a\u0323\u0302\ncaf\u00E9\n")};
  chosen.normalization = "nfc";
  const Tokenizer tokenizer = trained(chosen);
  const std::string same = "10³ m² ™ ½ ＡＢ，１ ﬁ";
  EXPECT_EQ(round_trip(tokenizer, "½ m² ™ ＡＢ"), "½ m² ™ ＡＢ");
  EXPECT_THAT(pieces_of(tokenizer, "cafe\u0301"), Contains("▁caf\u00E9"));
  EXPECT_EQ(tokenizer.encode("cafe\u0301"), tokenizer.encode("caf\u00E9"));
  EXPECT_EQ(round_trip(tokenizer, "a\u0302\u0323"), "\u1EAD") << "marks in another order";
  EXPECT_EQ(round_trip(tokenizer, "\u212B"), "\u00C5") << "the sign of the angstrom";
  chosen.byte_fallback = true;
  EXPECT_EQ(round_trip(trained(chosen), same), same);
  EXPECT_EQ(round_trip(trained(chosen), "\u1112\u1161\u11AB"), "\uD55C");
  chosen.lowercase = true;
  EXPECT_THAT(problem_of(chosen), HasSubstr("--lowercase needs --normalization"));
}

// With bytes, so that every character of the text comes back as the rules leave it.
TEST_F(TokenizerTrainingTest, NfcIsThatOfIcu) {
  TokenizerOptions chosen = options();
  chosen.normalization = "nfc";
  chosen.byte_fallback = true;
  const Tokenizer tokenizer = trained(chosen);
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* const nfc = icu::Normalizer2::getNFCInstance(status);
  const icu::Normalizer2* const nfd = icu::Normalizer2::getNFDInstance(status);
  int64_t tried = 0;
  for (UChar32 code = 1; code < kPlanesOfPrivateUse; ++code) {
    const icu::UnicodeString character(code);
    if (U_IS_SURROGATE(code) || nfd->isNormalized(character, status)) continue;
    if (code >= 0xAC00 && code % 7 != 0 && code < 0xD7A4) continue;  // of Hangul some
    std::string expected;
    nfc->normalize(character, status).toUTF8String(expected);
    std::string decomposed;
    nfd->normalize(character, status).toUTF8String(decomposed);
    ASSERT_EQ(round_trip(tokenizer, "x " + utf8(code) + " y"), "x " + expected + " y")
        << std::hex << code;
    ASSERT_EQ(round_trip(tokenizer, "x " + decomposed + " y"), "x " + expected + " y")
        << std::hex << code;
    ++tried;
  }
  EXPECT_TRUE(U_SUCCESS(status));
  EXPECT_GT(tried, 3'500);
}

TEST_F(TokenizerTrainingTest, TwoLanguagesShareThePiecesButNotTheNormalization) {
  TokenizerOptions chosen = options();
  chosen.tags = {"<2de>"};
  const SecondLanguage second{.inputs = {write("second", "eine Fläche von 20 m² kostet ½ Euro\n")},
                              .normalization = "none",
                              .output = scratch() / "second.model"};
  train_tokenizer(chosen, scratch() / "model", second);
  const Tokenizer first(scratch() / "model"), other(second.output);
  ASSERT_EQ(first.vocabulary_size(), other.vocabulary_size());
  for (int32_t id = 0; id < first.vocabulary_size(); ++id)
    ASSERT_EQ(first.piece(id), other.piece(id));
  EXPECT_EQ(round_trip(first, "20 m²"), "20 m2");
  EXPECT_EQ(round_trip(other, "20 m² ½"), "20 m² ½");
  EXPECT_EQ(round_trip(other, "Fläche"), "Fläche");
  EXPECT_EQ(pieces_of(first, "<2de>"), std::vector<std::string>{"▁<2de>"});
  EXPECT_EQ(first.encode("an area"), other.encode("an area"));
}

TEST_F(TokenizerTrainingTest, DigitsAreSplit) {
  TokenizerOptions chosen = options();
  EXPECT_THAT(pieces_of(trained(chosen), "2024"), Contains("▁2024"));
  chosen.split_digits = true;
  EXPECT_THAT(pieces_of(trained(chosen), "2024"), Contains("4"));
}

TEST_F(TokenizerTrainingTest, SymbolsAreAlwaysOnePiece) {
  TokenizerOptions chosen = options();
  chosen.symbols = {"{name}", "a,b", "\"it\"", "New York"};
  const Tokenizer tokenizer = trained(chosen);
  EXPECT_THAT(pieces_of(tokenizer, "the{name}of"), Contains("{name}"));
  EXPECT_THAT(pieces_of(tokenizer, "xa,bx"), Contains("a,b"));
  EXPECT_THAT(pieces_of(tokenizer, "x\"it\"x"), Contains("\"it\""));
  EXPECT_THAT(pieces_of(tokenizer, "xNew Yorkx"), Contains("New▁York"));
  chosen.symbols = {"m²"};
  EXPECT_THAT(pieces_of(trained(chosen), "20 m²"), Contains("m²")) << "before normalisation";
  chosen.symbols = {""};
  EXPECT_THAT(problem_of(chosen), HasSubstr("--user-symbols"));
}

TEST_F(TokenizerTrainingTest, OtherSettingsReachTheTrainer) {
  TokenizerOptions chosen = options();
  chosen.settings = {"max_sentencepiece_length=1"};
  const Tokenizer tokenizer = trained(chosen);
  for (const std::string& piece : pieces_of(tokenizer, "area"))
    EXPECT_LE(piece.size(), std::string("▁").size()) << piece;
  chosen.settings = {"vocab_size=9"};
  EXPECT_THAT(problem_of(chosen), HasSubstr("--sentencepiece vocab_size=9: dietmt sets this"));
  chosen.settings = {"max_sentencepiece_length"};
  EXPECT_THAT(problem_of(chosen), HasSubstr("must be NAME=VALUE"));
  chosen.settings = {"colour=red"};
  EXPECT_THAT(problem_of(chosen), HasSubstr("colour=red"));
}

}  // namespace
}  // namespace dietmt::data
