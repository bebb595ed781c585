// How generation_config.json becomes defaults of our search.
#include "interchange/huggingface/generation_config.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "data/text/subwords.h"
#include "tests/common/log_capture.h"
#include "tests/common/scratch.h"

namespace dietmt::interchange {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class GenerationConfig : public ScratchTest {
 protected:
  nmt::SearchDefaults of(const std::string& file, const json& description = json::object()) const {
    return config_of(file, description).search;
  }
  nmt::SuppressedPieces suppressed_by(const std::string& file) const {
    return config_of(file, json::object()).suppressed;
  }
  std::string warning(const std::string& file) const {
    const LogCapture log;
    of(file);
    return log.text();
  }

 private:
  nmt::ModelConfig config_of(const std::string& file, const json& description) const {
    if (!file.empty()) write("generation_config.json", file);
    data::PieceVocabulary vocabulary{{"<pad>", "</s>", "<unk>", "__de__", "__fr__", "a"}, 2, 0, 1};
    const data::Tokenizer target("list", data::listed_words(vocabulary, "list"));
    nmt::ModelConfig config;
    config.languages.add("de", "__de__");
    config.languages.add("fr", "__fr__");
    read_generation_config(scratch(), description, target, config);
    return config;
  }
};

TEST_F(GenerationConfig, BecomesOptionsOfOurs) {
  const nmt::SearchDefaults expected = {{"beam", 4},
                                        {"length_penalty", 0.5},
                                        {"max_length_factor", 0},
                                        {"max_length_offset", 199},
                                        {"min_length", 9},
                                        {"no_repeat_ngram", 3},
                                        {"repetition_penalty", 1.2}};
  EXPECT_EQ(of(R"({"num_beams": 4, "length_penalty": 0.5, "max_length": 200, "min_length": 10,
                   "no_repeat_ngram_size": 3, "repetition_penalty": 1.2})"),
            expected);
  const nmt::SearchDefaults new_tokens = {
      {"max_length_factor", 0}, {"max_length_offset", 30}, {"min_length", 2}};
  EXPECT_EQ(of(R"({"max_length": 20, "max_new_tokens": 30, "min_length": 9, "min_new_tokens": 2})"),
            new_tokens);
}

TEST_F(GenerationConfig, LeavesOutWhatIsUsual) {
  EXPECT_THAT(of(R"({"num_beams": 5, "length_penalty": 1.0, "min_length": 0, "max_length": null})"),
              IsEmpty());
}

TEST_F(GenerationConfig, IsInConfigJsonOfOldModels) {
  const json description = {{"num_beams", 3}};
  EXPECT_EQ(of("", description).at("beam"), 3);
  EXPECT_THAT(of("{}", description), IsEmpty());
}

TEST_F(GenerationConfig, NamesWhatOurSearchLacks) {
  EXPECT_THAT(warning(R"({"early_stopping": "never", "bad_words_ids": [[0], [6]], "do_sample": true,
                          "forced_bos_token_id": 5, "length_penalty": -1, "suppress_tokens": [-1],
                          "max_length": 1000000, "num_beams": 2})"),
              AllOf(HasSubstr("generation_config.json"), HasSubstr("early_stopping \"never\""),
                    HasSubstr("bad_words_ids [[0],[6]]"), HasSubstr("do_sample true"),
                    HasSubstr("forced_bos_token_id 5"), HasSubstr("length_penalty -1"),
                    HasSubstr("suppress_tokens [-1]"), HasSubstr("max_length 1000000"),
                    Not(HasSubstr("num_beams"))));
  EXPECT_THAT(of(R"({"max_length": 1000000})"), IsEmpty());
}

TEST_F(GenerationConfig, SuppressesPieces) {
  const nmt::SuppressedPieces found = suppressed_by(
      R"({"bad_words_ids": [[5, 3], [4], [1], [2, 5]], "suppress_tokens": [3, 1, 0],
          "begin_suppress_tokens": [5, 1]})");
  EXPECT_EQ(found.sequences, (std::vector<std::vector<std::string>>{
                                 {"a", "__de__"}, {"__fr__"}, {"__de__"}, {"</s>"}}));
  EXPECT_EQ(found.first, (std::vector<std::string>{"a", "</s>"}));
}

TEST_F(GenerationConfig, KnowsTokensThatChangeNothing) {
  EXPECT_TRUE(
      suppressed_by(R"({"bad_words_ids": [[0], [2], [1]], "suppress_tokens": [0]})").empty());
  EXPECT_EQ(warning(R"({"bad_words_ids": [[0], [2]], "suppress_tokens": [0], "do_sample": false,
                        "forced_bos_token_id": 4, "forced_eos_token_id": 1, "eos_token_id": 1,
                        "early_stopping": true})"),
            "");
}

TEST_F(GenerationConfig, NamesAWrongType) {
  try {
    of(R"({"num_beams": "many"})");
    FAIL();
  } catch (const CheckpointError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("generation_config.json: num_beams is \"many\""),
                                    HasSubstr("must be a number")));
  }
}

}  // namespace
}  // namespace dietmt::interchange
