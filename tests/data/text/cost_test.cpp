// Texts and glossaries that are made to take long cost time in proportion to their size.
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/files.h"
#include "data/text/copy_check.h"
#include "data/text/glossary.h"
#include "data/text/piece_list.h"
#include "data/text/sentencepiece_bert.h"
#include "data/text/tokenizer_training.h"
#include "data/text/wordpiece.h"
#include "tests/common/cpu_cost.h"
#include "tests/data/toy_text.h"

namespace dietmt::data {
namespace {

// Parts of texts: words without an end, characters without a piece, runs of white space, marks of
// words and of tags, and characters that normalisation writes out, removes or joins.
const std::vector<std::string> kTexts = {
    "ba",     "q",      " ",      "ba ",    "\u4f60",     "\u4f60 ", "\u4f60ba",
    "\u2581", "\u3000", "\u200b", "\ufdfa", "a\u0301",    "\u0301",  "\xF0\x9F\x98\x80",
    "\xFF",   ">>",     "<<",     "[",      "[CLS][SEP]", "<s>",     "tuba riko @ "};

class TextCostTest : public ToyTextTest {
 protected:
  template <typename Work>
  void expect_linear(const Work& work) const {
    for (const std::string& text : kTexts) {
      SCOPED_TRACE(text);
      EXPECT_LE(cost_growth(
                    50'000, [&](size_t bytes) { return repeated(text, bytes); }, work),
                kLinearGrowth);
    }
  }

  std::filesystem::path trained(const std::string& type, SpecialSet special) const {
    TokenizerOptions options;
    options.inputs = {source_file()};
    options.vocabulary_size = 60;
    options.type = type;
    options.special = special;
    train_tokenizer(options, scratch() / type);
    return scratch() / type;
  }
};

TEST_F(TextCostTest, OfTokenizers) {
  for (const std::string type : {"bpe", "unigram"}) {
    SCOPED_TRACE(type);
    const std::filesystem::path file = trained(type, SpecialSet::kTranslation);
    const Tokenizer own(file), numbered(file, sentencepiece_vocabulary(file));
    for (const Tokenizer* tokenizer : {&own, &numbered}) {
      expect_linear([&](const std::string& text) {
        tokenizer->decode(tokenizer->encode(text));
        if (invalid_utf8_at(text) != std::string::npos) return;
        tokenizer->decode_with_spans(tokenizer->encode_with_spans(text).ids);
      });
    }
  }
}

// Nothing interrupts it: a server looks at deadlines between sentences. These are the longest that
// it takes.
TEST_F(TextCostTest, OneSentenceTakesFarLessThanASecond) {
  if (!kCostIsMeasurable) GTEST_SKIP() << "sanitizers multiply the time";
  constexpr size_t kCharacters = 200'000;
  constexpr int64_t kMostPieces = 1024;
  for (const std::string type : {"bpe", "unigram"}) {
    const Tokenizer tokenizer(trained(type, SpecialSet::kTranslation));
    for (const std::string character : {"q", "ba", "\u4f60", "\ufdfa", "\xF0\x9F\x98\x80"}) {
      SCOPED_TRACE(type + " " + character);
      const std::string text = repeated(character, kCharacters * character.size());
      EXPECT_LT(cpu_seconds([&] {
                  tokenizer.encode(text, kMostPieces);
                  tokenizer.encode_with_spans(text, kMostPieces);
                }),
                0.5);
    }
  }
}

TEST_F(TextCostTest, OfPiecesThatAreText) {
  const std::filesystem::path file = trained("bpe", SpecialSet::kTranslation);
  PieceVocabulary vocabulary = sentencepiece_vocabulary(file);
  const auto other = static_cast<int32_t>(vocabulary.pieces.size());
  vocabulary.pieces.push_back("\u2581other");
  const Tokenizer tokenizer(file, vocabulary);
  const auto make = [&](size_t count) { return std::vector<int32_t>(count, other); };
  EXPECT_LE(cost_growth(10'000, make,
                        [&](const std::vector<int32_t>& ids) {
                          tokenizer.decode(ids);
                          tokenizer.decode_with_spans(ids);
                        }),
            kLinearGrowth);
}

TEST_F(TextCostTest, OfEncoders) {
  for (const std::string type : {"bpe", "unigram"}) {
    const SentencePieceBert tokenizer(trained(type, SpecialSet::kBert));
    expect_linear([&](const std::string& text) { tokenizer.decode(tokenizer.encode(text).ids); });
  }
  const WordPieceTokenizer words(
      write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nba\n##ba\n##" + repeated("a", 90)),
      {});
  expect_linear([&](const std::string& text) { words.decode(words.encode(text).ids); });
}

TEST_F(TextCostTest, OfVocabularies) {
  const auto reads = [&](const std::string& begin, const std::string& part, const std::string& end,
                         const auto& read) {
    SCOPED_TRACE(part);
    const auto make = [&](size_t bytes) {
      return write(std::to_string(bytes), begin + repeated(part, bytes) + end);
    };
    EXPECT_LE(cost_growth(50'000, make,
                          [&](const std::string& file) {
                            try {
                              read(file);
                            } catch (const DataError&) {
                            }
                          }),
              kLinearGrowth);
  };
  const auto words = [](const std::string& file) { WordPieceTokenizer(file, {}); };
  for (const std::string part : {"a@\n", "##@\n", "\n", "a", "\u4f60@\n", "\r"})
    reads("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n", part, "", words);
  const std::string model = read_file(trained("bpe", SpecialSet::kTranslation));
  const auto pieces = [](const std::string& file) { Tokenizer{file}; };
  const std::string list =
      "dietmt pieces 1\n{\"unknown\":0,\"begin\":1,\"end\":2,\"pieces\":[\"a\"";
  for (const std::string part : {",\"@\"", ",\"a\"", ",[", "\\u00e4", " "})
    reads(list, part, "]}\n" + model, pieces);
  // Fields of sentencepiece's model that it does not know, and pieces.
  for (const std::string part : {"\xf2\x01\x01@", "\x0a\x04\x0a\x02@", "\x0a\x01", "\x0a"})
    reads(model, part, "", pieces);
}

TEST_F(TextCostTest, OfPieceLists) {
  for (const std::string text : {"@ 1\n", "@\n", "\"@\\\"\\x41\": @\n", "'@'': @\n", "? @\n: @\n",
                                 "a: 1\n", "\n", "#", "\"", "\\", ":", " "}) {
    SCOPED_TRACE(text);
    EXPECT_LE(cost_growth(
                  20'000, [&](size_t bytes) { return repeated(text, bytes); },
                  [](const std::string& list) {
                    for (const char* name : {"dict.txt", "vocab.yml"}) {
                      try {
                        listed_vocabulary(list, name);
                      } catch (const DataError&) {
                      }
                    }
                  }),
              kLinearGrowth);
  }
}

TEST_F(TextCostTest, OfPieceSplitters) {
  expect_linear(piece_splitter(trained("bpe", SpecialSet::kTranslation)));
}

TEST_F(TextCostTest, OfCopyChecks) {
  const std::vector<std::string> texts = {"a@",  "a@b.c ", "www.",     "http://", "a.",
                                          "1",   "1,",     "1.2 ",     "(",       ")",
                                          "Aa ", "A",      "@ Word@ ", "a://b)",  "-"};
  for (const std::string& text : texts) {
    SCOPED_TRACE(text);
    EXPECT_LE(cost_growth(
                  50'000, [&](size_t bytes) { return repeated(text, bytes); },
                  [](const std::string& line) {
                    missing_copies(line, line);
                    missing_copies(line, "");
                  }),
              kLinearGrowth);
  }
}

TEST_F(TextCostTest, OfGlossaryFiles) {
  for (const std::string text :
       {"@\ta\n", "a@\ta|b|c\n", "\n", "#", "a\t", "a|", "A@ b\tc\r\n", "\u4f60@\t\u4f60\n"}) {
    SCOPED_TRACE(text);
    const auto make = [&](size_t bytes) {
      return write(std::to_string(bytes), repeated(text, bytes));
    };
    EXPECT_LE(cost_growth(20'000, make,
                          [](const std::string& file) {
                            try {
                              Glossary::read(file);
                            } catch (const DataError&) {
                            }
                          }),
              kLinearGrowth);
  }
}

// All terms have the same letters, and each line has many of them.
TEST_F(TextCostTest, OfTermsInLines) {
  std::vector<GlossaryTerm> terms;
  for (int i = 0; i < 1 << 10; ++i) {
    std::string source = "aaaaaaaaaaA";
    for (int bit = 0; bit < 10; ++bit)
      if ((i >> bit & 1) != 0) source[static_cast<size_t>(bit)] = 'A';
    terms.push_back(glossary_term(source, "b|bb|b b"));
  }
  const Glossary glossary(std::move(terms));
  for (const std::string line :
       {"aaaaaaaaaaa ", "aaaaaaaaaaA ", "AAAAAAAAAAAAAA", "a ", "b ", "."}) {
    SCOPED_TRACE(line);
    EXPECT_LE(cost_growth(
                  5'000, [&](size_t bytes) { return repeated(line, bytes); },
                  [&](const std::string& text) {
                    const auto found = glossary.find(text);
                    missing_terms(found, text);
                    missing_terms(found, repeated("b ", text.size()));
                    missing_terms(found, repeated("c", text.size()));
                  }),
              kLinearGrowth);
  }
}

}  // namespace
}  // namespace dietmt::data
