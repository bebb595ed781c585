#include "data/text/tokenizer_training.h"

#include <gmock/gmock.h>
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
