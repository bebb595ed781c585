#include "data/text/tokenizer.h"

#include <gmock/gmock.h>
#include <sentencepiece_trainer.h>

#include <algorithm>
#include <cstdlib>
#include <future>
#include <thread>

#include "common/error.h"
#include "common/files.h"
#include "common/text_io.h"
#include "data/text/tokenizer_training.h"
#include "tests/common/gzipped.h"
#include "tests/common/standard_input.h"
#include "tests/data/toy_text.h"

namespace dietmt::data {
namespace {

using namespace std::string_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TokenizerTest : public ToyTextTest {
 protected:
  TokenizerOptions options() const {
    TokenizerOptions chosen;
    chosen.inputs = {source_file(), target_file()};
    chosen.vocabulary_size = 100;
    return chosen;
  }

  // The bytes of the model trained with these options.
  std::string trained(const TokenizerOptions& chosen) const {
    train_tokenizer(chosen, scratch() / "trained.model");
    return read_file(scratch() / "trained.model");
  }

  static int64_t number_after(const std::string& words, const std::string& message) {
    const size_t at = message.find(words);
    EXPECT_NE(at, std::string::npos) << message;
    return at == std::string::npos ? 0 : std::atoll(message.c_str() + at + words.size());
  }

  std::string training_error(const TokenizerOptions& chosen) const {
    try {
      train_tokenizer(chosen, scratch() / "failed.model");
    } catch (const Error& error) {
      EXPECT_FALSE(std::filesystem::exists(scratch() / "failed.model"));
      return error.what();
    }
    return "no error";
  }
};

// A text's pieces join to the text again by their spans, and so do those of a decoded text.
void expect_spans(const Tokenizer& tokenizer, const std::string& line) {
  const SpannedPieces pieces = tokenizer.encode_with_spans(line);
  EXPECT_EQ(pieces.ids, tokenizer.encode(line));
  ASSERT_EQ(pieces.spans.size(), pieces.ids.size());
  int32_t end = 0;
  for (const TextSpan& span : pieces.spans) {
    EXPECT_LE(end, span.end);
    EXPECT_LE(span.begin, span.end);
    end = span.end;
  }
  EXPECT_EQ(end, std::ssize(line));
  const SpannedText decoded = tokenizer.decode_with_spans(pieces.ids);
  EXPECT_EQ(decoded.text, tokenizer.decode(pieces.ids));
  ASSERT_EQ(decoded.spans.size(), pieces.ids.size());
  std::string joined;
  for (const TextSpan& span : decoded.spans)
    joined += decoded.text.substr(static_cast<size_t>(span.begin),
                                  static_cast<size_t>(span.end - span.begin));
  EXPECT_EQ(joined, decoded.text);
}

TEST_F(TokenizerTest, SpansAreTheBytesOfPieces) {
  TokenizerOptions chosen = options();
  train_tokenizer(chosen, scratch() / "model");
  const Tokenizer tokenizer(scratch() / "model");
  expect_spans(tokenizer, "the dog sees");
  expect_spans(tokenizer, "a  dog, é x");
  // With another program's vocabulary, which has special pieces elsewhere.
  PieceVocabulary vocabulary = sentencepiece_vocabulary(scratch() / "model");
  vocabulary.pieces.push_back(">>de<<");
  vocabulary.pieces.push_back("\u2581other");
  const Tokenizer numbered(scratch() / "model", vocabulary);
  expect_spans(numbered, ">>de<< the dog sees");
  const SpannedPieces tagged = numbered.encode_with_spans(">>de<< dog");
  EXPECT_EQ(tagged.spans.front(), (TextSpan{0, 6}));
  const auto other = static_cast<int32_t>(vocabulary.pieces.size() - 1);
  const SpannedText decoded =
      numbered.decode_with_spans(std::vector{other, numbered.end_id(), other});
  EXPECT_EQ(decoded.text, "other other");
  EXPECT_THAT(decoded.spans, ElementsAre(TextSpan{0, 5}, TextSpan{5, 5}, TextSpan{5, 11}));
}

TEST_F(TokenizerTest, EncodingAndDecodingGiveTheTextBack) {
  for (const std::string type : {"bpe", "unigram"}) {
    TokenizerOptions chosen = options();
    chosen.type = type;
    train_tokenizer(chosen, scratch() / "model");
    const Tokenizer model(scratch() / "model");
    EXPECT_EQ(model.vocabulary_size(), 100);
    size_t pieces = 0, bytes = 0;
    for (const std::string& line : text_.target) {
      const std::vector<int32_t> ids = model.encode(line);
      pieces += ids.size();
      bytes += line.size();
      EXPECT_EQ(model.decode(ids), line);
      for (const int32_t id : ids) EXPECT_NE(id, model.unknown_id());
    }
    EXPECT_LT(4 * pieces, 3 * bytes);
  }
}

TEST_F(TokenizerTest, SpecialPieces) {
  EXPECT_EQ(tokenizer().unknown_id(), 0);
  EXPECT_EQ(tokenizer().begin_id(), 1);
  EXPECT_EQ(tokenizer().end_id(), 2);
  EXPECT_EQ(tokenizer().piece(2), "</s>");
  EXPECT_THAT(tokenizer().encode(""), ElementsAre());
  EXPECT_EQ(tokenizer().decode({}), "");
  EXPECT_THAT(tokenizer().encode("\xE6\xBC\xA2"), ::testing::Contains(0));
}

TEST_F(TokenizerTest, DecodingLeavesOutBeginAndEnd) {
  std::vector<int32_t> ids = tokenizer().encode("tuba riko");
  ids.insert(ids.begin(), tokenizer().begin_id());
  ids.insert(ids.begin() + 2, tokenizer().end_id());
  ids.push_back(tokenizer().end_id());
  EXPECT_EQ(tokenizer().decode(ids), "tuba riko");
}

TEST_F(TokenizerTest, IdsOutsideTheVocabularyAreErrors) {
  for (const int32_t id : {-1, 100, INT32_MAX}) {
    EXPECT_THROW(tokenizer().decode(std::vector<int32_t>{id}), Error) << id;
    EXPECT_THROW(tokenizer().piece(id), Error) << id;
  }
}

TEST_F(TokenizerTest, OddCharactersAreEncoded) {
  for (const std::string& line : {"ba\0ko"s, "ba\xC2\x85ko"s, "ba\xE2\x80\xA8ko"s, "ba\tko\r"s,
                                  "\xE2\x96\x81"s, "  ba   ko  "s, "\x01\x02\x7F"s,
                                  "\xEF\xBB\xBF"
                                  "ba"s,
                                  "<s></s><unk>"s, "\xF0\x9F\x98\x80"s}) {
    const std::vector<int32_t> ids = tokenizer().encode(line);
    for (const int32_t id : ids) EXPECT_LT(id, tokenizer().vocabulary_size());
    EXPECT_EQ(invalid_utf8_at(tokenizer().decode(ids)), std::string::npos);
  }
  // The text of a control piece is text, not the piece.
  EXPECT_THAT(tokenizer().encode("<s></s>"), ::testing::Not(::testing::Contains(2)));
}

TEST_F(TokenizerTest, BytesThatAreNotUtf8CountAsReplacementCharacters) {
  EXPECT_EQ(tokenizer().encode("ba\xFFko \xC3"),
            tokenizer().encode("ba\xEF\xBF\xBDko \xEF\xBF\xBD"));
}

TEST_F(TokenizerTest, VeryLongLines) {
  std::string line;
  for (int i = 0; i < 100'000; ++i) line += i % 2 == 0 ? "tuba " : "riko ";
  line.pop_back();
  const std::vector<int32_t> ids = tokenizer().encode(line);
  EXPECT_GE(ids.size(), 100'000U);
  EXPECT_EQ(tokenizer().decode(ids), line);
  EXPECT_GT(tokenizer().encode(std::string(1'000'000, 'b')).size(), 100'000U);
}

TEST_F(TokenizerTest, ThreadsMayShareATokenizer) {
  const auto encode_all = [this] {
    std::vector<std::vector<int32_t>> all;
    for (const std::string& line : text_.source) all.push_back(tokenizer().encode(line));
    return all;
  };
  const auto expected = encode_all();
  std::vector<std::future<decltype(encode_all())>> others;
  for (int i = 0; i < 4; ++i) others.push_back(std::async(std::launch::async, encode_all));
  for (auto& other : others) EXPECT_EQ(other.get(), expected);
}

TEST_F(TokenizerTest, ALoadedCopyIsTheSame) {
  write_file_atomically(scratch() / "copy", tokenizer().serialized());
  EXPECT_EQ(Tokenizer(scratch() / "copy").encode(text_.source[0]),
            tokenizer().encode(text_.source[0]));
}

TEST_F(TokenizerTest, FilesThatAreNoModels) {
  for (const std::string& path :
       {write("empty", ""), write("text", "no model\n"), (scratch() / "absent").string()}) {
    try {
      const Tokenizer model(path);
      FAIL() << path << ": no error";
    } catch (const DataError& error) {
      EXPECT_THAT(error.what(), HasSubstr(path));
    }
  }
}

TEST_F(TokenizerTest, TrainingIsDeterministicAndQuiet) {
  for (const std::string type : {"bpe", "unigram"}) {
    TokenizerOptions chosen = options();
    chosen.type = type;
    ::testing::internal::CaptureStderr();
    const std::string first = trained(chosen);
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(trained(chosen), first);
  }
}

TEST_F(TokenizerTest, TheSampleDependsOnTheSeed) {
  TokenizerOptions chosen = options();
  chosen.sentences = 200;
  chosen.vocabulary_size = 80;
  const std::string first = trained(chosen);
  EXPECT_EQ(trained(chosen), first);
  chosen.seed = 2;
  EXPECT_NE(trained(chosen), first);
}

TEST_F(TokenizerTest, GzipAndStandardInput) {
  TokenizerOptions chosen = options();
  const std::string expected = trained(chosen);
  chosen.inputs[0] = write("source.gz", gzipped(joined_lines(text_.source)));
  EXPECT_EQ(trained(chosen), expected);
  chosen.inputs[0] = "-";
  StandardInput input;
  std::jthread writer([&] {
    input.send(joined_lines(text_.source));
    input.close();
  });
  EXPECT_EQ(trained(chosen), expected);
}

TEST_F(TokenizerTest, ReplacedNulAndOverlongLinesDoNotStopTraining) {
  TokenizerOptions chosen = options();
  chosen.inputs.push_back(
      write("odd", "ba\0ko\ntuba\triko\n\n"s + std::string(100'000, 'q') + "\n"));
  EXPECT_THAT(training_error(chosen), HasSubstr("odd:1: has a NUL at byte 3"));
  chosen.invalid_utf8 = InvalidUtf8::kReplace;
  const Tokenizer model = [&] {
    train_tokenizer(chosen, scratch() / "odd.model");
    return Tokenizer(scratch() / "odd.model");
  }();
  EXPECT_EQ(model.vocabulary_size(), 100);
}

TEST_F(TokenizerTest, AVocabularyTooLargeNamesTheLargest) {
  for (const std::string type : {"bpe", "unigram"}) {
    TokenizerOptions chosen = options();
    chosen.type = type;
    chosen.vocabulary_size = 50'000;
    const std::string message = training_error(chosen);
    chosen.vocabulary_size = number_after("largest possible one is ", message);
    train_tokenizer(chosen, scratch() / "largest");
    EXPECT_EQ(Tokenizer(scratch() / "largest").vocabulary_size(), chosen.vocabulary_size);
  }
}

TEST_F(TokenizerTest, ADefaultVocabularyTooLargeShrinks) {
  for (const std::string type : {"bpe", "unigram"}) {
    TokenizerOptions chosen = options();
    chosen.type = type;
    chosen.vocabulary_size = 50'000;
    chosen.may_shrink = true;
    train_tokenizer(chosen, scratch() / "shrunk");
    const int64_t size = Tokenizer(scratch() / "shrunk").vocabulary_size();
    chosen.may_shrink = false;
    EXPECT_EQ(size, number_after("largest possible one is ", training_error(chosen)));
  }
}

TEST_F(TokenizerTest, AVocabularyTooSmallNamesTheSmallest) {
  for (const std::string type : {"bpe", "unigram"}) {
    TokenizerOptions chosen = options();
    chosen.type = type;
    chosen.vocabulary_size = 10;
    const std::string message = training_error(chosen);
    chosen.vocabulary_size = number_after("characters need ", message);
    train_tokenizer(chosen, scratch() / "smallest");
    EXPECT_EQ(Tokenizer(scratch() / "smallest").vocabulary_size(), chosen.vocabulary_size);
  }
}

// Like those of T5 and Marian.
TEST_F(TokenizerTest, AModelWithoutAPieceSaysWhich) {
  const std::string prefix = (scratch() / "foreign").string();
  ASSERT_TRUE(sentencepiece::SentencePieceTrainer::Train(
                  "--minloglevel=2 --vocab_size=100 --model_type=bpe --bos_id=-1 --input=" +
                  source_file() + " --model_prefix=" + prefix)
                  .ok());
  try {
    Tokenizer(prefix + ".model");
    FAIL() << "no error";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("no piece for begin of sentence; train it with --bos_id 1"));
  }
}

TEST_F(TokenizerTest, TextThatIsNotUtf8NamesTheLine) {
  TokenizerOptions chosen = options();
  chosen.inputs.push_back(write("latin1", "fine\nM\xFCnchen\n"));
  EXPECT_THAT(training_error(chosen),
              AllOf(HasSubstr("latin1:2: "), HasSubstr("not UTF-8 at byte 2")));
}

TEST_F(TokenizerTest, TextThatIsNotUtf8CanBeSkipped) {
  TokenizerOptions chosen = options();
  train_tokenizer(chosen, scratch() / "without");
  chosen.inputs.push_back(write("latin1", "M\xFCnchen\n"));
  chosen.invalid_utf8 = InvalidUtf8::kSkip;
  train_tokenizer(chosen, scratch() / "skipped");
  EXPECT_EQ(Tokenizer(scratch() / "skipped").serialized(),
            Tokenizer(scratch() / "without").serialized());
}

TEST_F(TokenizerTest, NoText) {
  TokenizerOptions chosen = options();
  chosen.inputs = {write("blank", "\n\n")};
  EXPECT_THAT(training_error(chosen), HasSubstr("blank"));
  chosen.inputs = {write("spaces", "  \n \t\n")};
  EXPECT_NE(training_error(chosen), "no error");
}

TEST_F(TokenizerTest, WrongOptionsAreListedTogether) {
  TokenizerOptions chosen;
  chosen.vocabulary_size = 0;
  chosen.type = "words";
  chosen.character_coverage = 1.5;
  try {
    train_tokenizer(chosen, scratch() / "never");
    FAIL() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("input"), HasSubstr("words"), HasSubstr("size"),
                                    HasSubstr("coverage")));
  }
}

TEST_F(TokenizerTest, ALongLineHasThePiecesOfItsWords) {
  std::string line;
  std::vector<int32_t> expected;
  for (const std::string& sentence : text_.source) {
    line += (line.empty() ? "" : " ") + sentence;
    const std::vector<int32_t> ids = tokenizer().encode(sentence);
    expected.insert(expected.end(), ids.begin(), ids.end());
  }
  ASSERT_GT(line.size(), 3 * Tokenizer::kLongestPart);
  EXPECT_EQ(tokenizer().encode(line), expected);
  expect_spans(tokenizer(), line);
  // No more is read than the caller wants.
  const std::vector<int32_t> first = tokenizer().encode(line, 100);
  EXPECT_GT(first.size(), 100U);
  EXPECT_LE(first.size(), Tokenizer::kLongestPart);
  EXPECT_TRUE(std::equal(first.begin(), first.end(), expected.begin()));
  EXPECT_EQ(tokenizer().encode_with_spans(line, 100).ids, first);
}

}  // namespace
}  // namespace dietmt::data
