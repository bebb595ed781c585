#include "service/scheduling/model_spec.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "nmt/model/config.h"
#include "tests/common/scratch.h"
#include "tests/common/test_directory.h"

namespace dietmt::service {
namespace {

using ::testing::HasSubstr;

class ModelSpecTest : public ScratchTest {
 protected:
  std::string folder(const std::string& name) const {
    std::filesystem::create_directories(scratch() / name);
    return (scratch() / name).string();
  }
  static std::string pair_of(const std::string& word) {
    const ModelSpec spec = parse_model_specs({word}).at(0);
    return spec.source + ">" + spec.target;
  }
};

TEST_F(ModelSpecTest, LanguagesCanBeGiven) {
  const std::string directory = folder("fr-it");
  const ModelSpec spec = parse_model_specs({"de-pt_BR=" + directory}).at(0);
  EXPECT_EQ(spec.name, "de-pt_BR");
  EXPECT_EQ(spec.source, "de");
  EXPECT_EQ(spec.target, "pt_BR");
  EXPECT_EQ(spec.directory, directory);
}

TEST_F(ModelSpecTest, NamesOfFetchedModelsBecomeTheirDirectories) {
  setenv("DIETMT_CACHE", scratch().c_str(), 1);
  EXPECT_THAT(message_of<ConfigError>([] { parse_model_specs({"en-fr=test:en-de"}); }),
              HasSubstr("run 'dietmt models fetch test:en-de'"));
  const std::string directory = folder("models/test/en-de");
  EXPECT_EQ(parse_model_specs({"test:en-de"}).at(0).name, "en-de");
  const ModelSpec spec = parse_model_specs({"en-fr=test:en-de,tag=<2fr>"}).at(0);
  EXPECT_EQ(spec.name, "en-fr");
  EXPECT_EQ(spec.directory, directory);
  EXPECT_EQ(spec.source_tag, "<2fr>");
  for (const char* word : {"test:en-de", "en-fr=test:en-de", "test:en-de,tag=<2fr>",
                           "en-fr=test:en-de,tag=a=b", "en-*=test:en-de"})
    EXPECT_EQ(model_in_word(word), "test:en-de") << word;
}

TEST_F(ModelSpecTest, NamesTellTheLanguages) {
  EXPECT_EQ(pair_of(folder("en-de")), "en>de");
  EXPECT_EQ(pair_of(folder("opus-mt-en-de") + "/"), "en>de");
  EXPECT_EQ(pair_of(folder("news.cs-en.big")), "cs>en");
  EXPECT_EQ(pair_of(folder("runs/en-zh_Hant/checkpoints/best")), "en>zh_Hant");
  EXPECT_EQ(pair_of(folder("opus-mt-tc-big-en-pt_BR")), "en>pt_BR");
  EXPECT_EQ(pair_of(folder("mt-en")), "mt>en");
}

TEST_F(ModelSpecTest, OtherWordsOfNamesAreNoLanguages) {
  EXPECT_EQ(pair_of(folder("en-de-big")), "en>de");
  EXPECT_EQ(pair_of(folder("en-de-new")), "en>de") << "Newari";
  EXPECT_EQ(pair_of(folder("new-en-de")), "en>de");
  EXPECT_EQ(pair_of(folder("en-de-mt")), "en>de") << "machine translation";
  EXPECT_EQ(pair_of(folder("en-de-no-dropout")), "en>de") << "Norwegian";
  EXPECT_EQ(pair_of(folder("en-gsw")), "en>gsw");
  EXPECT_EQ(pair_of(folder("de-en.en-gsw")), "en>gsw");
  EXPECT_EQ(pair_of(folder("en-de/old-big")), "en>de");
  EXPECT_EQ(pair_of("xx-big=" + folder("a")), "xx>big") << "said explicitly";
  EXPECT_THROW(pair_of(folder("big-run")), ConfigError);
}

TEST_F(ModelSpecTest, AModelThatListsItsLanguagesTranslatesAllOfThem) {
  const std::string directory = folder("nllb");
  nmt::ModelConfig config;
  config.languages = {.pieces = {{"en", "eng_Latn"}, {"de", "deu_Latn"}, {"fr", "fra_Latn"}},
                      .source_before_source = true,
                      .target_before_target = true};
  write("nllb/config.json", nlohmann::json{{"format", 1}, {"model", config.to_json()}}.dump());
  write("nllb/model.safetensors", "");
  std::vector<ModelSpec> specs = parse_model_specs({directory, "en-fr=" + directory});
  EXPECT_EQ(specs[0].name, "nllb");
  EXPECT_THAT(specs[0].targets, testing::ElementsAre("de", "en", "fr"));
  EXPECT_TRUE(specs[0].translates("fr", "de"));
  EXPECT_FALSE(specs[0].translates("fr", "fr"));
  EXPECT_FALSE(specs[0].translates("fr", "it"));
  EXPECT_EQ(specs[1].name, "en-fr");
  EXPECT_FALSE(specs[1].has_several_pairs());
  limit_languages({"english", "deu_Latn"}, specs);
  EXPECT_THAT(specs[0].sources, testing::ElementsAre("en", "de"));
  EXPECT_THROW(limit_languages({"it"}, specs), ConfigError);
  EXPECT_THAT(parse_model_specs({"en-*=" + directory}).at(0).sources, testing::ElementsAre("en"));
  EXPECT_THROW(parse_model_specs({"en-*=" + folder("en-de")}), ConfigError);
}

TEST_F(ModelSpecTest, ATagFollowsTheDirectory) {
  const ModelSpec spec = parse_model_specs({"en-fr=" + folder("opus") + ",tag=>>fra<<"}).at(0);
  EXPECT_EQ(spec.source_tag, ">>fra<<");
  EXPECT_EQ(spec.target, "fr");
  EXPECT_THROW(parse_model_specs({"en-fr=" + folder("opus") + ",tag=a b"}), ConfigError);
}

TEST_F(ModelSpecTest, AnEqualsSignInAPathIsNoPair) {
  EXPECT_EQ(pair_of(folder("beam=5/en-de")), "en>de");
}

TEST_F(ModelSpecTest, ASecondModelOfAPairIsNamedAfterItsDirectory) {
  const auto specs = parse_model_specs({folder("en-de"), "en-de=" + folder("large") + "/"});
  EXPECT_EQ(specs[0].name, "en-de");
  EXPECT_EQ(specs[1].name, "large");
}

TEST_F(ModelSpecTest, AnAdapterIsAModelWithItsOwnName) {
  const std::string base = folder("models/en-de");
  const std::string adapter = write("models/en-de/medicine.adapter", "");
  const auto specs = parse_model_specs({base, adapter});
  EXPECT_EQ(specs[1].name, "medicine");
  EXPECT_EQ(specs[1].source + ">" + specs[1].target, "en>de");
  EXPECT_EQ(specs[1].directory, adapter);
  EXPECT_THAT(message_of<ConfigError>([&] { parse_model_specs({base + "/none.adapter"}); }),
              ::testing::HasSubstr("no such directory"));
}

TEST_F(ModelSpecTest, ADirectoryOfModelsStandsForThem) {
  for (const char* name : {"all/pt-en", "all/en-de/best", "all/notes-en-fr"}) folder(name);
  write("all/pt-en/model.safetensors", "");
  write("all/en-de/best/model.safetensors", "");
  write("all/read-me", "");
  write("all/pt-en/shortlist.bin", "x");
  std::vector<ModelSpec> specs = parse_model_specs({folder("all")});
  ASSERT_EQ(specs.size(), 2U);
  EXPECT_EQ(specs[0].name, "en-de");
  EXPECT_EQ(specs[0].directory, scratch() / "all/en-de");
  EXPECT_EQ(specs[1].name, "pt-en");

  add_shortlists({"auto"}, specs);
  EXPECT_EQ(specs[0].shortlist, "");
  EXPECT_EQ(specs[1].shortlist, scratch() / "all/pt-en/shortlist.bin");
  std::vector<ModelSpec> without = parse_model_specs({folder("all/en-de")});
  EXPECT_THAT(message_of<ConfigError>([&] { add_shortlists({"auto"}, without); }),
              testing::HasSubstr("none of the model directories has a shortlist.bin"));
}

TEST_F(ModelSpecTest, AWordBeforeEqualsThatIsNoPairIsNamed) {
  const std::string directory = folder("run.int8");
  for (const char* const pair : {"EN-DE", "en_de", "english-german", "en"}) {
    const auto parse = [&] { parse_model_specs({std::string(pair) + "=" + directory}); };
    EXPECT_THAT(
        message_of<ConfigError>(parse),
        testing::HasSubstr("'" + std::string(pair) + "' is no pair of languages such as en-de"));
  }
}

TEST_F(ModelSpecTest, AllProblemsAreSaidAtOnce) {
  const std::string untold = folder("model");
  try {
    parse_model_specs({"en-de=" + (scratch() / "absent").string(), untold});
    FAIL() << "nothing was thrown";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("absent: no such directory\n"));
    EXPECT_THAT(error.what(), testing::HasSubstr("write for example en-de=" + untold));
  }
}

TEST_F(ModelSpecTest, ShortlistsGoToTheModelsThatTheyName) {
  const std::string first = write("first.bin", "x");
  const std::string second = write("en-de=2.bin", "x");
  std::vector<ModelSpec> one = parse_model_specs({folder("en-de")});
  add_shortlists({first}, one);
  EXPECT_EQ(one[0].shortlist, first);

  std::vector<ModelSpec> two = parse_model_specs({folder("en-de"), folder("de-en")});
  add_shortlists({"de-en=" + second}, two);
  EXPECT_EQ(two[0].shortlist, "");
  EXPECT_EQ(two[1].shortlist, second);
}

TEST_F(ModelSpecTest, AShortlistOfNoModelIsAProblem) {
  const std::string file = write("list.bin", "x");
  std::vector<ModelSpec> specs = parse_model_specs({folder("en-de"), folder("de-en")});
  try {
    add_shortlists({file, "en-fr=" + file, "en-de=" + file, "en-de=" + file, "de-en=absent"},
                   specs);
    FAIL() << "nothing was thrown";
  } catch (const ConfigError& error) {
    const std::string text = error.what();
    EXPECT_THAT(text, testing::HasSubstr("--shortlist " + file +
                                         ": write MODEL=FILE with one of the models en-de, de-en"));
    EXPECT_THAT(text, testing::HasSubstr("--shortlist en-fr=" + file + ": write MODEL=FILE"));
    EXPECT_THAT(text, testing::HasSubstr("model en-de already has a shortlist"));
    EXPECT_THAT(text, testing::HasSubstr("--shortlist de-en=absent: no such file"));
  }
}

}  // namespace
}  // namespace dietmt::service
