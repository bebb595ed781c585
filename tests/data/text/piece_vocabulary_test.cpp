#include <gmock/gmock.h>

#include <algorithm>

#include "common/error.h"
#include "common/files.h"
#include "data/text/tokenizer.h"
#include "tests/data/toy_text.h"

namespace dietmt::data {
namespace {

using ::testing::HasSubstr;

// The pieces of the toy tokenizer in reverse order, a target language and begin of sentence.
class PieceVocabularyTest : public ToyTextTest {
 protected:
  PieceVocabularyTest() {
    const auto size = static_cast<int32_t>(tokenizer().vocabulary_size());
    for (int32_t id = size - 1; id >= 0; --id)
      if (id != tokenizer().begin_id()) vocabulary_.pieces.push_back(tokenizer().piece(id));
    vocabulary_.pieces.push_back(">>fra<<");
    vocabulary_.pieces.push_back("<pad>");
    vocabulary_.unknown = id_of("<unk>");
    vocabulary_.end = id_of("</s>");
    vocabulary_.begin = id_of("<pad>");
    write_file_atomically(model_file(), tokenizer().serialized());
  }

  int32_t id_of(const std::string& piece) const {
    const auto found = std::find(vocabulary_.pieces.begin(), vocabulary_.pieces.end(), piece);
    return static_cast<int32_t>(found - vocabulary_.pieces.begin());
  }

  std::filesystem::path model_file() const { return scratch() / "source.spm"; }

  std::string error_of(const PieceVocabulary& vocabulary) const {
    try {
      const Tokenizer refused(model_file(), vocabulary);
    } catch (const DataError& error) {
      return error.what();
    }
    return "no error";
  }

  PieceVocabulary vocabulary_;
};

TEST_F(PieceVocabularyTest, PiecesAreSentencepiecesAndNumbersTheVocabularys) {
  const Tokenizer numbered(model_file(), vocabulary_);
  EXPECT_EQ(numbered.vocabulary_size(), tokenizer().vocabulary_size() + 1);
  EXPECT_EQ(numbered.unknown_id(), id_of("<unk>"));
  EXPECT_EQ(numbered.begin_id(), id_of("<pad>"));
  EXPECT_EQ(numbered.end_id(), id_of("</s>"));
  for (const std::string& line : text_.target) {
    const std::vector<int32_t> ids = numbered.encode(line);
    const std::vector<int32_t> own = tokenizer().encode(line);
    ASSERT_EQ(ids.size(), own.size());
    for (size_t i = 0; i < ids.size(); ++i)
      EXPECT_EQ(numbered.piece(ids[i]), tokenizer().piece(own[i]));
    EXPECT_EQ(numbered.decode(ids), line);
  }
}

TEST_F(PieceVocabularyTest, TagsAreOfNoText) {
  vocabulary_.pieces.emplace_back("__de__");
  vocabulary_.tags = {id_of("__de__")};
  const Tokenizer made(model_file(), vocabulary_);
  write_file_atomically(scratch() / "stored", made.serialized());
  const Tokenizer numbered(scratch() / "stored");
  EXPECT_TRUE(numbered.is_tag(id_of("__de__")));
  EXPECT_FALSE(numbered.is_tag(id_of(">>fra<<")));
  const std::string& line = text_.target[0];
  std::vector<int32_t> expected = numbered.encode(line);
  expected.insert(expected.begin(), id_of("__de__"));
  EXPECT_EQ(numbered.encode("__de__ " + line), expected);
  EXPECT_EQ(numbered.encode("__de__"), std::vector{id_of("__de__")});
  EXPECT_EQ(numbered.decode(expected), line);
  EXPECT_EQ(numbered.decode_with_spans(expected).text, line);
  const std::vector<int32_t> inside = numbered.encode(line + " __de__");
  EXPECT_EQ(std::count(inside.begin(), inside.end(), id_of("__de__")), 0);
  vocabulary_.tags = {9999};
  EXPECT_THAT(error_of(vocabulary_), HasSubstr("the tag 9999"));
}

TEST_F(PieceVocabularyTest, ALanguageAtTheStartIsOnePiece) {
  const Tokenizer numbered(model_file(), vocabulary_);
  const std::string& line = text_.source[0];
  std::vector<int32_t> expected = numbered.encode(line);
  expected.insert(expected.begin(), id_of(">>fra<<"));
  EXPECT_EQ(numbered.encode(">>fra<< " + line), expected);
  EXPECT_EQ(numbered.encode(">>fra<<"), std::vector<int32_t>{id_of(">>fra<<")});
  for (const std::string& other : {">>deu<< " + line, line + " >>fra<<", std::string(">>")}) {
    const std::vector<int32_t> ids = numbered.encode(other);
    EXPECT_EQ(std::count(ids.begin(), ids.end(), id_of(">>fra<<")), 0) << other;
  }
}

TEST_F(PieceVocabularyTest, PiecesOfTheOtherLanguageAreReadAndUnknownOnesMarked) {
  vocabulary_.pieces.push_back("\xE2\x96\x81naïve");
  const Tokenizer numbered(model_file(), vocabulary_);
  const int32_t foreign = id_of("\xE2\x96\x81naïve");
  EXPECT_EQ(numbered.decode(std::vector<int32_t>{foreign, foreign, numbered.end_id()}),
            "naïve naïve");
  const std::vector<int32_t> unknown = numbered.encode("漢");
  EXPECT_EQ(unknown.back(), numbered.unknown_id());
  EXPECT_EQ(numbered.decode(std::vector<int32_t>{numbered.end_id()}), "");
  EXPECT_THROW(numbered.decode(std::vector<int32_t>{9999}), Error);
}

TEST_F(PieceVocabularyTest, SentencepiecesOwnNumbers) {
  const PieceVocabulary own = sentencepiece_vocabulary(model_file());
  ASSERT_EQ(static_cast<int64_t>(own.pieces.size()), tokenizer().vocabulary_size());
  EXPECT_EQ(own.pieces[7], tokenizer().piece(7));
  EXPECT_EQ(own.unknown, 0);
  EXPECT_EQ(own.begin, 1);
  EXPECT_EQ(own.end, 2);
  const Tokenizer numbered(model_file(), own);
  for (const std::string& line : text_.source)
    EXPECT_EQ(numbered.encode(line), tokenizer().encode(line));
}

TEST_F(PieceVocabularyTest, TheBytesHoldAll) {
  const Tokenizer numbered(model_file(), vocabulary_);
  EXPECT_EQ(numbered.sentencepiece(), tokenizer().serialized());
  EXPECT_EQ(tokenizer().sentencepiece(), tokenizer().serialized());
  write_file_atomically(scratch() / "stored", numbered.serialized());
  const Tokenizer stored(scratch() / "stored");
  EXPECT_EQ(stored.serialized(), numbered.serialized());
  EXPECT_EQ(stored.encode(">>fra<< " + text_.source[1]),
            numbered.encode(">>fra<< " + text_.source[1]));
  EXPECT_EQ(stored.begin_id(), numbered.begin_id());
}

TEST_F(PieceVocabularyTest, ASeparatorThatIsTextIsAnOrdinaryPiece) {
  // Field 1 of the model: a piece (field 1) of type 4 (field 3), user-defined.
  const std::string piece = "\x0a\x05<sep>\x18\x04";
  write_file_atomically(model_file(), tokenizer().serialized() + "\x0a\x09" + piece);
  const PieceVocabulary own = sentencepiece_vocabulary(model_file());
  const auto numbered = std::make_shared<const Tokenizer>(model_file(), own);
  EXPECT_EQ(numbered->separator_id(), -1);
  EXPECT_EQ(numbered->decode(numbered->encode("tuba <sep> riko")), "tuba <sep> riko");
  EXPECT_THAT([&] { with_separator(numbered); },
              ::testing::ThrowsMessage<DataError>(HasSubstr("is text, so it cannot separate")));
}

TEST_F(PieceVocabularyTest, DamagedBytesAndWrongVocabulariesAreNamed) {
  const std::string bytes = Tokenizer(model_file(), vocabulary_).serialized();
  for (const size_t length : {size_t{20}, bytes.find('\n', 20) + 1, bytes.size() / 2}) {
    write_file_atomically(scratch() / "damaged", bytes.substr(0, length));
    try {
      const Tokenizer refused(scratch() / "damaged");
      ADD_FAILURE() << "accepted " << length << " bytes";
    } catch (const DataError& error) {
      EXPECT_THAT(error.what(), HasSubstr("damaged: "));
    }
  }
  PieceVocabulary twice = vocabulary_;
  twice.pieces.push_back(twice.pieces[3]);
  EXPECT_THAT(error_of(twice), HasSubstr("source.spm: the vocabulary has the piece"));
  PieceVocabulary garbled = vocabulary_;
  garbled.pieces.emplace_back("\xFF");
  EXPECT_THAT(error_of(garbled), HasSubstr("which is not UTF-8"));
  PieceVocabulary endless = vocabulary_;
  endless.end = -1;
  EXPECT_THAT(error_of(endless), HasSubstr("end of sentence"));
  PieceVocabulary outside = vocabulary_;
  outside.begin = 9999;
  EXPECT_THAT(error_of(outside), HasSubstr("begin of sentence"));
  PieceVocabulary same = vocabulary_;
  same.begin = same.end;
  EXPECT_THAT(error_of(same), HasSubstr("must have different pieces"));
}

}  // namespace
}  // namespace dietmt::data
