// Models of OpenNMT-py and eole, and what they compute (make_opennmt_cases.py).
#include "interchange/opennmt/opennmt_import.h"

#include <gmock/gmock.h>

#include "common/error.h"
#include "tests/common/scratch.h"
#include "tests/interchange/cases.h"
#include "tests/interchange/reference.h"
#include "tests/interchange/torch_bytes.h"

namespace dietmt::interchange {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

fs::path case_path(const std::string& name) { return fs::path(DIETMT_OPENNMT_CASES) / name; }

class OpennmtModels : public testing::TestWithParam<const char*> {};

TEST_P(OpennmtModels, ComputeWhatTheirProgramDoes) {
  constexpr int64_t kLongest = 20;
  const nmt::LoadedModel model = import_opennmt(case_path(GetParam()), {});
  expect_reference(model, read_reference(case_path(std::string(GetParam()) + ".json")), kLongest);
}

INSTANTIATE_TEST_SUITE_P(Cases, OpennmtModels,
                         testing::Values("version2", "tied", "relative", "rotary", "eole_plain",
                                         "eole_learned", "eole_rotary", "eole_gated"),
                         [](const auto& test) { return std::string(test.param); });

TEST(OpennmtConfigs, AreThoseOfTheModels) {
  const nmt::ModelConfig tied = import_opennmt(case_path("tied"), {}).model->config();
  EXPECT_EQ(tied.tied_embeddings, "all");
  EXPECT_EQ(std::pair(tied.encoder_layers, tied.decoder_layers),
            (std::pair<int64_t, int64_t>(3, 1)));
  EXPECT_EQ(tied.dropout, 0.2);
  const nmt::ModelConfig old =
      import_opennmt(case_path("version2") / "model_step_100.pt", {}).model->config();
  EXPECT_EQ(old.tied_embeddings, "decoder");
  EXPECT_EQ(old.norm_epsilon, 1e-6);
  const nmt::ModelConfig learned = import_opennmt(case_path("eole_learned"), {}).model->config();
  EXPECT_EQ(learned.tied_embeddings, "none");
  EXPECT_EQ(learned.max_positions, 40);
  EXPECT_EQ(learned.norm_epsilon, 1e-5);
}

class DamagedOpennmtModels : public ScratchTest {
 protected:
  /// The failure of a copy of a case after `damage`.
  std::string failure_after(const std::string& name, const std::function<void()>& damage,
                            const std::vector<fs::path>& pieces = {}) const {
    fs::remove_all(copy());
    fs::copy(case_path(name), copy());
    damage();
    return failure<Error>([&] { import_opennmt(copy(), pieces); });
  }
  std::string failure_of_checkpoint(const std::string& state) const {
    return failure_after(
        "version2", [&] { write("model/model_step_100.pt", torch_bytes::archive(state, {})); });
  }
  void change(const std::string& file, const std::string& old, const std::string& changed) const {
    std::string text = read_file(copy() / file);
    ASSERT_NE(text.find(old), text.npos) << old;
    text.replace(text.find(old), old.size(), changed);
    write("model/" + file, text);
  }
  fs::path copy() const { return scratch() / "model"; }
};

TEST_F(DamagedOpennmtModels, MissAFile) {
  EXPECT_THAT(failure_after("tied", [&] { fs::remove(copy() / "model_step_100.pt"); }),
              HasSubstr("has no checkpoint of OpenNMT-py (.pt)"));
  EXPECT_THAT(
      failure_after("tied",
                    [&] { fs::copy(copy() / "model_step_100.pt", copy() / "model_step_200.pt"); }),
      AllOf(HasSubstr("has 2 checkpoints; give one: --from"), HasSubstr("model_step_100.pt")));
  EXPECT_THAT(failure_after("rotary", [&] { fs::remove(copy() / "model_step_100.safetensors"); }),
              HasSubstr("model_step_100.pt: has no 'model' with tensors"));
  EXPECT_THAT(failure_after("eole_plain", [&] { fs::remove(copy() / "config.json"); }),
              HasSubstr("config.json"));
}

TEST_F(DamagedOpennmtModels, AreSplitByTheGivenFile) {
  const auto move = [&] { fs::rename(copy() / "bpe.codes", scratch() / "merges"); };
  EXPECT_EQ(failure_after("tied", move), "succeeded");  // words are pieces
  EXPECT_EQ(failure_after("tied", move, {scratch() / "merges"}), "succeeded");
  const data::SpannedPieces pieces =
      import_opennmt(copy(), {scratch() / "merges"}).source_tokenizer->encode_with_spans("finds");
  EXPECT_GT(pieces.ids.size(), 1U);
  write("nothing", "ab\n");
  EXPECT_THAT(failure_after("tied", move, {scratch() / "nothing"}),
              HasSubstr("nothing:1: not a merge"));
}

TEST_F(DamagedOpennmtModels, HaveOtherVocabularies) {
  EXPECT_THAT(failure_after("eole_plain", [&] { change("vocab.json", "\"<unk>\",", ""); }),
              HasSubstr("vocab.json: its vocabulary has no piece for unknown words"));
  EXPECT_THAT(failure_after("eole_plain", [&] { change("vocab.json", "\"</s>\"", "\"<s>\""); }),
              HasSubstr("has \"<s>\", which is no piece or there twice"));
  EXPECT_THAT(failure_after("eole_plain", [&] { change("vocab.json", "\"src\"", "\"sources\""); }),
              HasSubstr("vocab.json: src is missing"));
  EXPECT_THAT(failure_after("eole_gated",
                            [&] { change("vocab.json", "\"</s>\",", "\"</s>\", \"more\","); }),
              HasSubstr(" rows of pieces, but "));
  EXPECT_THAT(failure_after("eole_plain", [&] { write("model/vocab.json", "[1]"); }),
              HasSubstr("vocab.json: has a vocabulary of an unknown form"));
}

TEST_F(DamagedOpennmtModels, HaveOtherShapes) {
  EXPECT_THAT(
      failure_after("eole_gated",
                    [&] {
                      for (int i = 0; i < 3; ++i)
                        change("config.json", "\"transformer_ff\": 24", "\"transformer_ff\": 32");
                    }),
      AllOf(HasSubstr("model: parameter"), HasSubstr("feed_forward"), HasSubstr("has shape")));
}

TEST_F(DamagedOpennmtModels, CallNothing) {
  using namespace torch_bytes;
  const std::string attack = call(known("os", "system"), {text("touch attacked")});
  EXPECT_THAT(failure_of_checkpoint("}" + text("opt") + attack + "s"),
              HasSubstr("model_step_100.pt: holds the class os.system"));
  EXPECT_THAT(failure_of_checkpoint("}(" + text("vocab") + "}" + text("optim") + attack + "u"),
              HasSubstr("holds the class os.system"));
  EXPECT_THAT(failure_of_checkpoint("}" + text("vocab") + "}s"),
              AllOf(HasSubstr("has no 'opt'"), HasSubstr("dict.SRC.txt")));
  EXPECT_THAT(failure_of_checkpoint("}(" + text("vocab") + "}" + text("opt") + "}u"),
              HasSubstr("encoder_type is 'rnn'; only 'transformer' can be imported"));
}

TEST_F(DamagedOpennmtModels, HaveFeatures) {
  using namespace torch_bytes;
  EXPECT_THAT(failure_after(
                  "eole_plain",
                  [&] { change("vocab.json", "\"src\"", "\"src_feats\": [[\"noun\"]], \"src\""); }),
              HasSubstr("has features of source words"));
}

}  // namespace
}  // namespace dietmt::interchange
