#include "interchange/marian/marian_config.h"

#include <gmock/gmock.h>

#include "common/error.h"
#include "tests/interchange/cases.h"

namespace dietmt::interchange {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

TEST(YamlOptions, OptionsOfATraining) {
  EXPECT_THAT(
      parse_yaml_options("# a comment\n---\ntype: transformer\ndim-vocabs:\n  - 32000\n  - 100\n"
                         "transformer-preprocess: \"\"\nempty:\n  []\nnone: []\n"
                         "version: v1.9 2020-01-01 10:30:00 +0100\n",
                         "options"),
      ElementsAre(Pair("type", ElementsAre("transformer")),
                  Pair("dim-vocabs", ElementsAre("32000", "100")),
                  Pair("transformer-preprocess", ElementsAre("")), Pair("empty", ElementsAre()),
                  Pair("none", ElementsAre()),
                  Pair("version", ElementsAre("v1.9 2020-01-01 10:30:00 +0100"))));
}

TEST(YamlOptions, AnItemOfNoListIsNamed) {
  try {
    parse_yaml_options("  - 32000\n", "file.yml");
    ADD_FAILURE() << "accepted";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("file.yml:1: "));
  }
}

TEST(YamlOptions, OtherLinesAreNamed) {
  for (const char* text : {"a: 1\nno key here\n", "a: 1\n\"\\xZZ\": 2\n", "a: 1\n: 3\n"}) {
    try {
      parse_yaml_options(text, "file.yml");
      ADD_FAILURE() << "accepted " << text;
    } catch (const DataError& error) {
      EXPECT_THAT(error.what(), HasSubstr("file.yml:2: "));
    }
  }
}

TEST(YamlOptions, ALongTextIsNotParsed) {
  const std::string text = "{" + std::string(70'000, ',') + "}";
  EXPECT_THAT(failure<DataError>([&] { parse_yaml_options(text, "file.yml"); }),
              testing::HasSubstr("file.yml: is 70002 bytes long"));
}

TEST(MarianModelConfig, AWordForANumberIsNamed) {
  EXPECT_THAT(failure<CheckpointError>([&] {
                marian_model_config(marian_options("type: transformer\nenc-depth: six\n", "m"),
                                    "m");
              }),
              HasSubstr("--enc-depth is six, not a number"));
  EXPECT_THAT(failure<CheckpointError>([&] {
                marian_model_config(marian_options("type: transformer\ndec-depth: 2x\n", "m"), "m");
              }),
              HasSubstr("--dec-depth is 2x, not a number"));
}

TEST(MarianModelConfig, NamesTheHeadThatAligns) {
  const auto site = [](const std::string& line) {
    const std::string text =
        "type: transformer\ndim-vocabs: [100, 100]\nenc-depth: 6\ndec-depth: 4\ndim-emb: 32\n"
        "transformer-dim-ffn: 64\ntransformer-heads: 2\ntransformer-postprocess: dan\n"
        "transformer-ffn-activation: relu\ntied-embeddings-all: true\n" +
        line;
    const auto config = marian_model_config(marian_options(text, "model"), "model");
    return std::pair(config.alignment().layer, config.alignment().head);
  };
  EXPECT_EQ(site("transformer-guided-alignment-layer: last\n"), std::pair(int64_t{3}, int64_t{0}));
  EXPECT_EQ(site("transformer-guided-alignment-layer: 2\n"), std::pair(int64_t{1}, int64_t{0}));
  EXPECT_EQ(site(""), std::pair(int64_t{2}, nmt::AlignmentSite::kAllHeads));
}

}  // namespace
}  // namespace dietmt::interchange
