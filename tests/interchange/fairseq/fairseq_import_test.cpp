// Models of fairseq, and what they compute (make_fairseq_cases.py).
#include "interchange/fairseq/fairseq_import.h"

#include <gmock/gmock.h>

#include "common/error.h"
#include "interchange/fairseq/fairseq_weights.h"
#include "tests/common/scratch.h"
#include "tests/interchange/cases.h"
#include "tests/interchange/reference.h"
#include "tests/interchange/torch_bytes.h"

namespace dietmt::interchange {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Key;

fs::path case_path(const std::string& name) { return fs::path(DIETMT_FAIRSEQ_CASES) / name; }

class FairseqModels : public testing::TestWithParam<const char*> {};

TEST_P(FairseqModels, ComputeWhatFairseqDoes) {
  constexpr int64_t kLongest = 20;
  const nmt::LoadedModel model = import_fairseq(case_path(GetParam()), {});
  expect_reference(model, read_reference(case_path(std::string(GetParam()) + ".json")), kLongest);
}

INSTANTIATE_TEST_SUITE_P(Cases, FairseqModels, testing::Values("iwslt", "deep", "learned"),
                         [](const auto& test) { return std::string(test.param); });

TEST(FairseqConfigs, AreThoseOfTheModels) {
  const nmt::ModelConfig iwslt = import_fairseq(case_path("iwslt"), {}).model->config();
  EXPECT_EQ(iwslt.tied_embeddings, "decoder");
  EXPECT_EQ(iwslt.norm, "post");
  const nmt::ModelConfig deep = import_fairseq(case_path("deep") / "model.pt", {}).model->config();
  EXPECT_EQ(deep.tied_embeddings, "all");
  EXPECT_EQ(std::pair(deep.encoder_layers, deep.decoder_layers),
            (std::pair<int64_t, int64_t>(3, 1)));
  EXPECT_EQ(deep.feed_forward, 40);
  EXPECT_EQ(deep.dropout, 0.3);
  const nmt::ModelConfig learned = import_fairseq(case_path("learned"), {}).model->config();
  EXPECT_EQ(learned.tied_embeddings, "none");
  EXPECT_EQ(learned.max_positions, 40);
}

class DamagedFairseqModels : public ScratchTest {
 protected:
  /// The failure of a copy of a case after `damage`.
  std::string failure_after(const std::string& name, const std::function<void()>& damage) const {
    fs::remove_all(copy());
    fs::copy(case_path(name), copy());
    damage();
    return failure<Error>([&] { import_fairseq(copy(), {}); });
  }
  fs::path copy() const { return scratch() / "model"; }
};

TEST_F(DamagedFairseqModels, MissAFile) {
  EXPECT_THAT(failure_after("deep", [&] { fs::remove(copy() / "dict.de.txt"); }),
              HasSubstr("has no dict.de.txt"));
  EXPECT_THAT(failure_after("deep", [&] { fs::remove(copy() / "model.pt"); }),
              HasSubstr("has no checkpoint of fairseq"));
  EXPECT_THAT(failure_after("deep",
                            [&] {
                              fs::rename(copy() / "model.pt", copy() / "model1.pt");
                              fs::copy(copy() / "model1.pt", copy() / "model2.pt");
                            }),
              AllOf(HasSubstr("has 2 checkpoints; give one: --from"), HasSubstr("model1.pt")));
  EXPECT_THAT(
      failure_after("deep",
                    [&] { fs::rename(copy() / "model.pt", copy() / "checkpoint1-shard0.pt"); }),
      HasSubstr("part of a sharded checkpoint"));
}

TEST_F(DamagedFairseqModels, HaveOtherDictionaries) {
  EXPECT_THAT(failure_after("deep", [&] { write("model/dict.de.txt", "a 1\nb 1\na 3\n"); }),
              HasSubstr("dict.de.txt:3: the piece 'a' is in line 1 too"));
  EXPECT_THAT(failure_after("iwslt", [&] { write("model/dict.de.txt", "a 1\nb 1\n"); }),
              HasSubstr("has 6"));
  EXPECT_THAT(failure_after("iwslt", [&] { write("model/dict.de.txt", "a\xff 1\n"); }),
              HasSubstr("dict.de.txt:1: not UTF-8"));
  EXPECT_THAT(failure_after("iwslt", [&] { write("model/spm.model", "nothing"); }),
              HasSubstr("spm.model"));
}

TEST_F(DamagedFairseqModels, HaveOtherCodes) {
  const auto with_codes = [&](const char* file, const std::string& codes) {
    return failure_after("iwslt", [&] {
      fs::remove(copy() / "spm.model");
      write(std::string("model/") + file, codes);
    });
  };
  EXPECT_THAT(with_codes("bpecodes", "#version: 0.2\na b\nab\n"),
              HasSubstr("bpecodes:3: not a merge"));
  for (const char* file : {"bpe.codes", "codes", "code"}) {
    EXPECT_EQ(with_codes(file, "d o\ndo g</w> 12\n"), "succeeded");
    const data::SpannedPieces pieces =
        import_fairseq(copy(), {}).source_tokenizer->encode_with_spans("dog do");
    EXPECT_THAT(pieces.spans,
                ElementsAre(data::TextSpan{0, 3}, data::TextSpan{3, 5}, data::TextSpan{5, 6}));
  }
}

TEST_F(DamagedFairseqModels, HaveFlippedBits) {
  const std::string whole = read_file(case_path("deep") / "model.pt");
  const size_t name = whole.find("archive/data/1");  // after its length and that of an extra field
  ASSERT_NE(name, whole.npos);
  const auto length = [&](size_t at) {
    return static_cast<uint8_t>(whole[at]) + 256U * static_cast<uint8_t>(whole[at + 1]);
  };
  const size_t storage = name + length(name - 4) + length(name - 2);
  for (const size_t at : {whole.find("Namespace"), storage}) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 4);
    EXPECT_THAT(failure_after("deep", [&] { write("model/model.pt", changed); }),
                AllOf(HasSubstr("model.pt: "), HasSubstr("damaged")))
        << at;
  }
}

TEST_F(DamagedFairseqModels, CallNothingAndStayInTheirDirectory) {
  using namespace torch_bytes;
  const auto with = [&](const std::string& args, const std::string& other) {
    const std::string state = "}(" + text("args") + args + text("model") + ordered_dict({}) +
                              text("extra_state") + other + "u";
    return failure_after("deep", [&] { write("model/model.pt", archive(state, {})); });
  };
  const auto space = [](const std::string& fields) {
    return known("argparse", "Namespace") + ")\x81}(" + fields + "ub";
  };
  const std::string attack = call(known("os", "system"), {text("touch attacked")});
  EXPECT_THAT(with(space(""), attack), HasSubstr("model.pt: holds the class os.system"));
  EXPECT_THAT(with(attack, "N"), HasSubstr("holds the class os.system"));
  EXPECT_THAT(with(space(text("encoder_embed_dim") + text("a")), "N"),
              HasSubstr("decoder_embed_dim is missing"));
  std::string sizes = text("target_lang") + text("de");
  for (const char* name : {"embed_dim", "attention_heads", "layers", "ffn_embed_dim"})
    for (const std::string stack : {"encoder_", "decoder_"})
      sizes += text(stack + name) + number(16);
  for (const char* language : {"../en", "/etc/en", "a/../../b"})
    EXPECT_THAT(with(space(sizes + text("source_lang") + text(language)), "N"),
                HasSubstr("which is no part of a file's name"));
  EXPECT_THAT(with(space(sizes + text("source_lang") + text("en")), "N"),
              HasSubstr("holds no tensors"));
}

TEST(FairseqWeights, OfOldVersionsGetNewNames) {
  const at::Tensor joined = at::arange(12).reshape({6, 2});
  const TensorsByName renamed =
      with_new_names({{"encoder.layers.0.self_attn.in_proj_weight", joined},
                      {"encoder.layers.0.in_proj_weight", joined},
                      {"encoder.layers.0.fc1_bias", joined},
                      {"encoder.layers.0.layer_norms.1.bias", joined},
                      {"decoder.layers.10.layer_norms.1.weight", joined}});
  EXPECT_THAT(renamed, ElementsAre(Key("decoder.layers.10.encoder_attn_layer_norm.weight"),
                                   Key("encoder.layers.0.final_layer_norm.bias"),
                                   Key("encoder.layers.0.self_attn.k_proj.weight"),
                                   Key("encoder.layers.0.self_attn.q_proj.weight"),
                                   Key("encoder.layers.0.self_attn.v_proj.weight")));
  EXPECT_TRUE(at::equal(renamed.at("encoder.layers.0.self_attn.k_proj.weight"),
                        at::arange(4, 8).reshape({2, 2})));
}

}  // namespace
}  // namespace dietmt::interchange
