// Models of Sockeye, and what they compute (make_sockeye_cases.py).
#include "interchange/sockeye/sockeye_import.h"

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

fs::path case_path(const std::string& name) { return fs::path(DIETMT_SOCKEYE_CASES) / name; }

nmt::ModelConfig config_of(const std::string& name) {
  return import_sockeye(case_path(name), {}).model->config();
}

class SockeyeModels : public testing::TestWithParam<const char*> {};

TEST_P(SockeyeModels, ComputeWhatSockeyeDoes) {
  constexpr int64_t kLongest = 20;
  const nmt::LoadedModel model = import_sockeye(case_path(GetParam()), {});
  expect_reference(model, read_reference(case_path(std::string(GetParam()) + ".json")), kLongest);
}

INSTANTIATE_TEST_SUITE_P(Cases, SockeyeModels, testing::Values("post", "pre", "gated", "ssru"),
                         [](const auto& test) { return std::string(test.param); });

TEST(SockeyeConfigs, AreThoseOfTheModels) {
  const nmt::ModelConfig post = config_of("post"), pre = config_of("pre");
  EXPECT_EQ(post.norm, "post");
  EXPECT_EQ(post.tied_embeddings, "all");
  EXPECT_TRUE(post.output_bias);
  EXPECT_EQ(pre.norm, "pre");
  EXPECT_EQ(pre.tied_embeddings, "decoder");
  EXPECT_EQ(std::pair(pre.encoder_layers, pre.decoder_layers), (std::pair<int64_t, int64_t>(3, 1)));
  EXPECT_EQ(pre.max_positions, 40);
  EXPECT_EQ(config_of("gated").activation, "swiglu");
  EXPECT_EQ(config_of("ssru").decoder_layer, "ssru");
  EXPECT_EQ(config_of("ssru").tied_embeddings, "none");
}

class DamagedSockeyeModels : public ScratchTest {
 protected:
  /// The failure of a copy of a case after `damage`.
  std::string failure_after(const std::string& name, const std::function<void()>& damage,
                            const std::vector<fs::path>& pieces = {}) const {
    fs::remove_all(copy());
    fs::copy(case_path(name), copy());
    damage();
    return failure<Error>([&] { import_sockeye(copy(), pieces); });
  }
  std::string failure_without(const std::string& name, const char* file) const {
    return failure_after(name, [&] { fs::remove(copy() / file); });
  }
  std::string failure_with(const std::string& old_text, const std::string& text) const {
    std::string settings = read_file(case_path("gated") / "config");
    for (size_t at = 0; (at = settings.find(old_text, at)) != settings.npos; at += text.size())
      settings.replace(at, old_text.size(), text);
    return failure_after("gated", [&] { write("model/config", settings); });
  }
  fs::path copy() const { return scratch() / "model"; }
};

TEST_F(DamagedSockeyeModels, MissAFile) {
  EXPECT_THAT(failure_without("gated", "params.best"), HasSubstr("params.best"));
  EXPECT_THAT(failure_without("gated", "vocab.trg.0.json"), HasSubstr("vocab.trg.0.json"));
  EXPECT_EQ(failure_without("gated", "version"), "succeeded");
}

TEST_F(DamagedSockeyeModels, NeedWhatCutsText) {
  EXPECT_THAT(failure_without("post", "spm.model"),
              HasSubstr("vocab.src.0.json: its pieces are those of sentencepiece (\u2581): put its "
                        "model into the directory, as source.spm"));
  EXPECT_THAT(failure_without("pre", "bpe.codes"),
              HasSubstr("vocab.src.0.json: its pieces are those of BPE (@@): put its codes"));
  EXPECT_EQ(failure_after("pre", [&] { fs::rename(copy() / "bpe.codes", scratch() / "given"); },
                          {scratch() / "given"}),
            "succeeded");
}

TEST_F(DamagedSockeyeModels, HaveOtherContents) {
  const auto with = [&](const char* file, const std::string& text) {
    return failure_after("gated", [&] { write(std::string("model/") + file, text); });
  };
  EXPECT_THAT(with("version", "2.3.24\n"),
              HasSubstr("version: the model is one of Sockeye 2.3.24, which stores tensors of"));
  EXPECT_THAT(with("vocab.src.0.json", R"({"<pad>": 0, "a": 1})"),
              HasSubstr("vocab.src.0.json: lacks <unk>, <s> or </s>"));
  EXPECT_THAT(with("vocab.src.0.json", R"({"<pad>": 0, "<unk>": 1, "<s>": 2, "</s>": 3})"),
              AllOf(HasSubstr("params.best: has"), HasSubstr("rows of pieces")));
  EXPECT_THAT(with("config", "a: ["), HasSubstr("config: yaml-cpp"));
  EXPECT_THAT(with("config", "!ModelConfig\na: 1\n"), HasSubstr("config_encoder is missing"));
}

TEST_F(DamagedSockeyeModels, HaveOtherShapes) {
  EXPECT_THAT(failure_with("model_size: 16", "model_size: 32"), HasSubstr("num_embed"));
  EXPECT_THAT(failure_with(": 16", ": 32"),
              HasSubstr("params.best: decoder.layers.0.autoregr_layer.ff_in.weight has shape"));
  EXPECT_THAT(failure_with("attention_heads: 4", "attention_heads: 3"),
              AllOf(HasSubstr("config"), HasSubstr("attention_heads")));
  EXPECT_THAT(failure_with("feed_forward_num_hidden: 24", "feed_forward_num_hidden: 32"),
              AllOf(HasSubstr("params.best: parameter"), HasSubstr("has shape")));
  EXPECT_THAT(failure_with("use_glu: true", "use_glu: false"),
              HasSubstr("has parts that dietmt's models do not have: decoder.layers.0.ff.linear"));
}

TEST_F(DamagedSockeyeModels, CallNothing) {
  using namespace torch_bytes;
  const std::string attack = call(known("os", "system"), {text("touch attacked")});
  EXPECT_THAT(failure_after("gated", [&] { write("model/params.best", archive(attack, {})); }),
              HasSubstr("params.best: holds the class os.system"));
}

}  // namespace
}  // namespace dietmt::interchange
