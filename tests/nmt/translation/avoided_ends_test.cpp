#include "nmt/translation/avoided_ends.h"

#include <gmock/gmock.h>

#include "common/error.h"
#include "common/random.h"
#include "data/text/word_text.h"
#include "tests/data/fake_subwords.h"

namespace dietmt::nmt {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

using Tokens = std::vector<int32_t>;

// All words of up to three letters of "ab", with the mark of a word's beginning and without it.
class ShortPieces : public data::FakeSubwords {
 public:
  explicit ShortPieces(std::string sentencepiece = "a model") : model_(std::move(sentencepiece)) {
    for (const char* const mark : {"", "▁"}) {
      for (int length = 1; length <= 3; ++length) {
        for (int bits = 0; bits < 1 << length; ++bits) {
          std::string text = mark;
          for (int i = 0; i < length; ++i) text += (bits >> i & 1) != 0 ? 'b' : 'a';
          pieces_.push_back(text);
        }
      }
    }
    pieces_.emplace_back(".");
  }

  data::SpannedPieces encode_with_spans(std::string_view) const override { return {}; }
  int64_t size() const override { return std::ssize(pieces_); }
  std::string piece(int32_t id) const override { return pieces_[static_cast<size_t>(id)]; }
  const std::string& sentencepiece() const override { return model_; }

 private:
  std::vector<std::string> pieces_ = {"<unk>", "<s>", "</s>"};
  const std::string model_;
};

// The text of tokens, each word after a mark.
std::string text_of(const data::Tokenizer& tokenizer, const Tokens& tokens) {
  std::string text;
  for (const int32_t token : tokens) text += tokenizer.piece(token);
  return text;
}

bool begins_word_at(const std::string& text, size_t at) {
  return at == 0 || !data::joins_word(data::characters_of(text.substr(0, at)).back());
}

// Whether a piece ends where the text does and begins inside it or before it.
bool has_text(const data::Tokenizer& tokenizer, const Tokens& tokens, const std::string& text) {
  Tokens first;
  for (const int32_t token : tokens) {
    first.push_back(token);
    const std::string so_far = text_of(tokenizer, first);
    if (so_far.ends_with(text) && begins_word_at(so_far, so_far.size() - text.size())) return true;
  }
  return false;
}

TEST(AvoidedEnds, NoSpellingOfATextIsPossible) {
  const data::Tokenizer tokenizer("none", std::make_unique<const ShortPieces>());
  const PieceIndex pieces(tokenizer);
  Random random(1);
  for (const std::string text : {"ab", "abba", "ab▁a", "b"}) {
    std::string with_spaces = text;
    if (const size_t mark = text.find("▁"); mark != text.npos) with_spaces.replace(mark, 3, " ");
    const AvoidedTexts avoided(tokenizer, ends_of({with_spaces}, pieces));
    for (int round = 0; round < 500; ++round) {
      Tokens tokens;
      while (tokens.size() < 8) {
        Tokens ends;
        avoided.add_ends(tokens, ends);
        const auto token = static_cast<int32_t>(
            3 + random.below(static_cast<uint64_t>(tokenizer.vocabulary_size() - 3)));
        Tokens next = tokens;
        next.push_back(token);
        EXPECT_EQ(std::ranges::count(ends, token) > 0, has_text(tokenizer, next, text))
            << text_of(tokenizer, next);
        if (!std::ranges::count(ends, token)) tokens.push_back(token);
      }
    }
  }
}

TEST(AvoidedEnds, ProblemsAreNamed) {
  const data::Tokenizer words("none", std::make_unique<const ShortPieces>(""));
  EXPECT_THAT([&]() { ends_of({"a"}, PieceIndex(words)); },
              ThrowsMessage<DataError>(HasSubstr("sentencepiece")));
  EXPECT_THAT([]() { check_avoided({"a", " "}); }, ThrowsMessage<DataError>(HasSubstr("empty")));
  EXPECT_THAT([]() { check_avoided({std::string(201, 'x')}); },
              ThrowsMessage<DataError>(HasSubstr("200 characters")));
  EXPECT_THAT([]() { check_avoided(std::vector<std::string>(101, "x")); },
              ThrowsMessage<DataError>(HasSubstr("101 texts")));
}

}  // namespace
}  // namespace dietmt::nmt
