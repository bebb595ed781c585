// Models of JoeyNMT, and what they compute (make_joeynmt_cases.py).
#include "interchange/joeynmt/joeynmt_import.h"

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

fs::path case_path(const std::string& name) { return fs::path(DIETMT_JOEYNMT_CASES) / name; }

class JoeynmtModels : public testing::TestWithParam<const char*> {};

TEST_P(JoeynmtModels, ComputeWhatJoeynmtDoes) {
  constexpr int64_t kLongest = 20;
  const nmt::LoadedModel model = import_joeynmt(case_path(GetParam()), {});
  expect_reference(model, read_reference(case_path(std::string(GetParam()) + ".json")), kLongest);
}

INSTANTIATE_TEST_SUITE_P(Cases, JoeynmtModels, testing::Values("post", "pre", "words"),
                         [](const auto& test) { return std::string(test.param); });

TEST(JoeynmtConfigs, AreThoseOfTheModels) {
  const nmt::ModelConfig post = import_joeynmt(case_path("post"), {}).model->config();
  EXPECT_EQ(post.tied_embeddings, "all");
  EXPECT_EQ(post.norm, "post");
  const nmt::ModelConfig pre = import_joeynmt(case_path("pre"), {}).model->config();
  EXPECT_EQ(pre.tied_embeddings, "decoder");
  EXPECT_EQ(std::pair(pre.encoder_layers, pre.decoder_layers), (std::pair<int64_t, int64_t>(3, 1)));
  EXPECT_EQ(import_joeynmt(case_path("words"), {}).model->config().tied_embeddings, "none");
}

class DamagedJoeynmtModels : public ScratchTest {
 protected:
  /// The failure of a copy of a case after `damage`.
  std::string failure_after(const std::string& name, const std::function<void()>& damage) const {
    fs::remove_all(copy());
    fs::copy(case_path(name), copy());
    damage();
    return failure<Error>([&] { import_joeynmt(copy(), {}); });
  }
  fs::path copy() const { return scratch() / "model"; }
};

TEST_F(DamagedJoeynmtModels, MissAFile) {
  const auto without = [&](const char* name, const char* file) {
    return failure_after(name, [&] { fs::remove(copy() / file); });
  };
  EXPECT_THAT(without("post", "best.ckpt"), HasSubstr("has no checkpoint of JoeyNMT (.ckpt)"));
  EXPECT_THAT(without("post", "trg_vocab.txt"), HasSubstr("trg_vocab.txt"));
  EXPECT_THAT(without("post", "spm.model"), HasSubstr("model: has no spm.model, which cuts text"));
  EXPECT_THAT(without("pre", "codes.txt"), HasSubstr("has no codes.txt"));
  EXPECT_EQ(failure_after("words", [&] { fs::rename(copy() / "best.ckpt", copy() / "1200.ckpt"); }),
            "succeeded");
}

TEST_F(DamagedJoeynmtModels, HaveOtherContents) {
  EXPECT_THAT(failure_after("words", [&] { write("model/src_vocab.txt", "a\nb\n"); }),
              HasSubstr("has 6"));
  EXPECT_THAT(failure_after("words", [&] { write("model/config.yaml", "model: [\n"); }),
              HasSubstr("config.yaml: yaml-cpp"));
  EXPECT_THAT(failure_after("words", [&] { write("model/config.yaml", "a: 1\n"); }),
              HasSubstr("config.yaml: model is missing"));
  std::string doubling = "a0: &a0 [1, 1]\n";
  for (int i = 1; i < 30; ++i) {
    const std::string number = std::to_string(i), before = std::to_string(i - 1);
    doubling += "a" + number + ": &a" + number + " [*a" + before + ", *a" + before + "]\n";
  }
  EXPECT_THAT(failure_after("words", [&] { write("model/config.yaml", doubling); }),
              HasSubstr("has more values than the settings of a model"));
}

TEST_F(DamagedJoeynmtModels, HaveOtherShapes) {
  std::string settings = read_file(case_path("words") / "config.yaml");
  for (size_t at = 0; (at = settings.find("ff_size: 24", at)) != settings.npos;)
    settings.replace(at, 11, "ff_size: 32");
  EXPECT_THAT(failure_after("words", [&] { write("model/config.yaml", settings); }),
              AllOf(HasSubstr("best.ckpt: parameter"), HasSubstr("has shape")));
}

TEST_F(DamagedJoeynmtModels, CallNothing) {
  using namespace torch_bytes;
  const std::string attack = call(known("os", "system"), {text("touch attacked")});
  const auto with = [&](const std::string& state) {
    return failure_after("words", [&] { write("model/best.ckpt", archive(state, {})); });
  };
  EXPECT_THAT(with("}" + text("model_state") + attack + "s"),
              HasSubstr("best.ckpt: holds the class os.system"));
  EXPECT_THAT(with("}" + text("model") + "}s"),
              HasSubstr("best.ckpt: has no 'model_state' with tensors"));
}

}  // namespace
}  // namespace dietmt::interchange
