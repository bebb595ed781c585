#include "data/shortlist/shortlist.h"

#include <gmock/gmock.h>

#include <numeric>
#include <set>
#include <thread>

#include "common/error.h"
#include "common/files.h"
#include "common/random.h"
#include "data/text/tokenizer_training.h"
#include "tests/common/cpu_cost.h"
#include "tests/data/toy_text.h"

namespace dietmt::data {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using Ids = std::vector<int32_t>;

class ShortlistTest : public ToyTextTest {
 protected:
  std::filesystem::path file() const { return scratch() / "shortlist.bin"; }

  // Source id s has (s % 5) candidates s, 2 s, ... modulo the vocabulary, in falling order.
  static ShortlistContent content() {
    ShortlistContent content;
    content.always = {2, 70, 99};
    const auto vocabulary = static_cast<int32_t>(tokenizer().vocabulary_size());
    for (int32_t source = 0; source < vocabulary; ++source) {
      for (int32_t i = source % 5; i >= 1; --i) {
        content.ids.push_back(i * source % vocabulary);
        content.probabilities.push_back(static_cast<float>(i) / 5);
      }
      content.bounds.push_back(static_cast<uint32_t>(content.ids.size()));
    }
    return content;
  }

  Shortlist written() const {
    write_shortlist(file(), content(), tokenizer(), tokenizer());
    return Shortlist(file(), tokenizer(), tokenizer());
  }

  std::string error_of(const std::string& bytes) const {
    write_file_atomically(file(), bytes);
    try {
      Shortlist(file(), tokenizer(), tokenizer());
    } catch (const DataError& error) {
      return error.what();
    }
    return "no error";
  }
};

TEST_F(ShortlistTest, HoldsWhatWasWritten) {
  const Shortlist shortlist = written();
  EXPECT_EQ(shortlist.source_vocabulary(), 100);
  EXPECT_EQ(shortlist.target_vocabulary(), 100);
  EXPECT_THAT(shortlist.always(), ElementsAre(2, 70, 99));
  EXPECT_THAT(shortlist.ids(33), ElementsAre(99, 66, 33));
  EXPECT_THAT(shortlist.probabilities(33), ElementsAre(0.6f, 0.4f, 0.2f));
  EXPECT_THAT(shortlist.ids(0), ElementsAre());
}

TEST_F(ShortlistTest, CandidatesAreTheUnionSorted) {
  const Shortlist shortlist = written();
  Ids ids = {1, 2, 3};
  shortlist.candidates({}, ids);
  EXPECT_THAT(ids, ElementsAre(2, 70, 99));
  shortlist.candidates(Ids{33, 12, 33}, ids);
  EXPECT_THAT(ids, ElementsAre(2, 12, 24, 33, 66, 70, 99));
  shortlist.candidates(Ids{-1, 100, 2'000'000'000, 12}, ids);
  EXPECT_THAT(ids, ElementsAre(2, 12, 24, 70, 99)) << "ids outside the vocabulary are left out";
}

TEST_F(ShortlistTest, CandidatesOfRandomSentencesEqualASetUnion) {
  const Shortlist shortlist = written();
  Random random(8);
  Ids source, ids;
  for (int sentence = 0; sentence < 200; ++sentence) {
    source.clear();
    for (uint64_t left = random.below(40); left > 0; --left)
      source.push_back(static_cast<int32_t>(random.below(100)));
    std::set<int32_t> expected(shortlist.always().begin(), shortlist.always().end());
    for (const int32_t id : source)
      expected.insert(shortlist.ids(id).begin(), shortlist.ids(id).end());
    shortlist.candidates(source, ids);
    ASSERT_THAT(ids, ElementsAreArray(expected));
  }
}

TEST_F(ShortlistTest, ThreadsMayShareIt) {
  const Shortlist shortlist = written();
  Ids source(100), expected;
  std::iota(source.begin(), source.end(), 0);
  shortlist.candidates(source, expected);
  std::vector<Ids> found(4);
  std::vector<std::thread> threads;
  for (Ids& ids : found)
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) shortlist.candidates(source, ids);
    });
  for (std::thread& thread : threads) thread.join();
  for (const Ids& ids : found) EXPECT_EQ(ids, expected);
}

TEST_F(ShortlistTest, OtherVocabulariesAreRefused) {
  TokenizerOptions options;
  options.inputs = {target_file()};
  options.vocabulary_size = 100;  // the same size, other pieces
  train_tokenizer(options, scratch() / "other.model");
  const Tokenizer other(scratch() / "other.model");
  EXPECT_NE(vocabulary_fingerprint(other), vocabulary_fingerprint(tokenizer()));
  written();
  for (const auto& [source, target] : {std::pair(&other, &tokenizer()), {&tokenizer(), &other}}) {
    try {
      Shortlist(file(), *source, *target);
      ADD_FAILURE() << "no error";
    } catch (const DataError& error) {
      EXPECT_THAT(error.what(), AllOf(HasSubstr("shortlist.bin"), HasSubstr("other vocabularies")));
    }
  }
}

TEST_F(ShortlistTest, ADamagedFileIsRefused) {
  written();
  const std::string whole = read_file(file());
  EXPECT_EQ(error_of(whole), "no error");
  EXPECT_THAT(error_of(""), HasSubstr("is not a shortlist"));
  EXPECT_THAT(error_of(std::string(4096, 'x')), HasSubstr("is not a shortlist"));
  EXPECT_THAT(error_of(whole.substr(0, whole.size() - 4)), HasSubstr("damaged"));
  EXPECT_THAT(error_of(whole + "0000"), HasSubstr("damaged"));
  for (size_t at = 12; at < whole.size(); at += 101) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 4);
    EXPECT_THAT(error_of(changed), HasSubstr("damaged")) << "byte " << at;
  }
  std::string other_version = whole;
  ++other_version[8];
  EXPECT_THAT(error_of(other_version), HasSubstr("another version"));
}

TEST_F(ShortlistTest, AnIdOutsideTheVocabularyIsRefused) {
  ShortlistContent wrong = content();
  wrong.ids[3] = 100;
  write_shortlist(file(), wrong, tokenizer(), tokenizer());
  EXPECT_THAT(error_of(read_file(file())), HasSubstr("ids that do not exist"));
}

TEST_F(ShortlistTest, ReadingTakesTimeInProportion) {
  const auto make = [&](size_t ids) {
    ShortlistContent large = content();
    large.ids.resize(ids, 7);
    large.probabilities.resize(ids);
    large.bounds.back() = static_cast<uint32_t>(ids);
    large.always.assign(ids, 9);
    const std::filesystem::path written = scratch() / std::to_string(ids);
    write_shortlist(written, large, tokenizer(), tokenizer());
    return written;
  };
  const auto read = [&](const std::filesystem::path& written) {
    const Shortlist shortlist(written, tokenizer(), tokenizer());
    Ids found;
    shortlist.candidates(Ids{99}, found);
  };
  EXPECT_LE(cost_growth(100'000, make, read), kLinearGrowth);
}

TEST_F(ShortlistTest, AMissingFileIsNamed) {
  try {
    Shortlist(scratch() / "absent.bin", tokenizer(), tokenizer());
    ADD_FAILURE() << "no error";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("absent.bin"), HasSubstr("No such file")));
  }
}

}  // namespace
}  // namespace dietmt::data
