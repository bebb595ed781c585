// Reads the exported files; bench/ctranslate2_parity.py runs exported models in CTranslate2.
#include "interchange/ctranslate2/ctranslate2_export.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <torch/types.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "encoders/position/encodings/t5.h"
#include "interchange/ctranslate2/ctranslate2_positions.h"
#include "interchange/huggingface/marianmt.h"
#include "tests/common/scratch.h"
#include "tests/interchange/cases.h"

namespace dietmt::interchange {
namespace {

using at::Tensor;
using encoders::AttentionSite;
using encoders::EncodingContext;
using encoders::PositionScheme;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

struct Variable {
  std::vector<uint32_t> shape;
  int type;
  std::string bytes;
};

/// The content of a model.bin.
class BinaryFile {
 public:
  explicit BinaryFile(std::string bytes) : bytes_(std::move(bytes)) {
    version = number<uint32_t>();
    kind = text();
    revision = number<uint32_t>();
    for (auto left = number<uint32_t>(); left > 0; --left) {
      const std::string name = text();
      Variable& variable = variables[name];
      for (auto dims = number<uint8_t>(); dims > 0; --dims)
        variable.shape.push_back(number<uint32_t>());
      variable.type = number<uint8_t>();
      variable.bytes = take(number<uint32_t>());
    }
    for (auto left = number<uint32_t>(); left > 0; --left) {
      const std::string name = text();
      aliases[name] = text();
    }
    EXPECT_EQ(at_, bytes_.size());
  }

  uint32_t version, revision;
  std::string kind;
  std::map<std::string, Variable> variables;
  std::map<std::string, std::string> aliases;

 private:
  std::string take(size_t size) {
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }
  template <typename Number>
  Number number() {
    Number value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string text() {
    std::string with_zero = take(number<uint16_t>());
    EXPECT_EQ(with_zero.back(), '\0');
    with_zero.pop_back();
    return with_zero;
  }

  std::string bytes_;
  size_t at_ = 0;
};

class CTranslate2Test : public ScratchTest {};

TEST_F(CTranslate2Test, TheFileHoldsTheModel) {
  const nmt::LoadedModel model = import_marianmt(case_directory("shared"));
  export_ctranslate2(scratch(), model);
  const BinaryFile file(read_file(scratch() / "model.bin"));
  EXPECT_EQ(file.version, 6U);
  EXPECT_EQ(file.kind, "TransformerSpec");
  EXPECT_EQ(file.revision, 7U);
  const auto vocabulary = static_cast<uint32_t>(model.model->config().target_vocabulary);
  const Variable& embedding = file.variables.at("decoder/embeddings/weight");
  EXPECT_THAT(embedding.shape, ElementsAre(vocabulary, 8U));
  EXPECT_EQ(std::memcmp(embedding.bytes.data(), model.model->output_weight().const_data_ptr(),
                        embedding.bytes.size()),
            0);
  EXPECT_EQ(file.aliases.at("decoder/projection/weight"), "decoder/embeddings/weight");
  EXPECT_EQ(file.aliases.at("encoder/embeddings_0/weight"), "decoder/embeddings/weight");
  EXPECT_EQ(file.aliases.size(), 2U);
  EXPECT_THAT(file.variables.at("encoder/num_heads").shape, ElementsAre());
  EXPECT_EQ(file.variables.at("encoder/num_heads").bytes, std::string("\x02\x00", 2));
  EXPECT_EQ(file.variables.at("decoder/activation").bytes, "\x02");  // silu
  EXPECT_THAT(file.variables.at("encoder/layer_1/self_attention/linear_0/weight").shape,
              ElementsAre(24U, 8U));
  EXPECT_THAT(file.variables.at("decoder/layer_0/attention/linear_1/bias").shape, ElementsAre(16U));
  EXPECT_THAT(file.variables.at("encoder/position_encodings/encodings").shape,
              ElementsAre(2048U, 8U));
  const auto pieces = nlohmann::json::parse(read_file(scratch() / "shared_vocabulary.json"));
  ASSERT_EQ(pieces.size(), vocabulary);
  EXPECT_EQ(pieces[7], model.target_tokenizer->piece(7));
  const auto config = nlohmann::json::parse(read_file(scratch() / "config.json"));
  EXPECT_EQ(config.at("decoder_start_token"), "<pad>");
  EXPECT_EQ(config.at("add_source_eos"), true);
}

std::string bytes_of(const Tensor& tensor) {
  const Tensor plain = tensor.detach().contiguous();
  return {static_cast<const char*>(plain.const_data_ptr()), plain.nbytes()};
}

TEST_F(CTranslate2Test, AttentionComesFromAllHeadsOfTheLayerThatAligns) {
  const nmt::LoadedModel model = import_marianmt(case_directory("shared"));
  export_ctranslate2(scratch(), model);
  const BinaryFile file(read_file(scratch() / "model.bin"));
  ASSERT_EQ(model.model->config().decoder_layers, 1);
  EXPECT_EQ(file.variables.at("decoder/alignment_layer").bytes, std::string("\x00\x00", 2));
  EXPECT_EQ(file.variables.at("decoder/alignment_heads").bytes, std::string("\x02\x00", 2));
  EXPECT_EQ(file.variables.at("decoder/alignment_layer").type, 2);  // int16
}

TEST_F(CTranslate2Test, AGuidedHeadBecomesTheFirst) {
  nmt::LoadedModel model = import_marianmt(case_directory("shared"));
  nmt::ModelConfig config = model.model->config();
  ASSERT_EQ(config.heads, 2);
  config.decoder_layers = config.alignment_layer = 2;
  config.alignment_head = 2;
  model.model = std::make_shared<nmt::TranslationModel>(config, 3);
  export_ctranslate2(scratch(), model);
  const BinaryFile file(read_file(scratch() / "model.bin"));
  EXPECT_EQ(file.variables.at("decoder/alignment_layer").bytes, std::string("\x01\x00", 2));
  EXPECT_EQ(file.variables.at("decoder/alignment_heads").bytes, std::string("\x01\x00", 2));
  const auto parameters = model.model->named_parameters();
  const auto theirs = [&](int layer, const std::string& name) {
    return file.variables.at("decoder/layer_" + std::to_string(layer) + "/attention/" + name).bytes;
  };
  const auto ours = [&](int layer, const std::string& name) {
    return parameters["decoder.layer" + std::to_string(layer) + ".cross_attention." + name];
  };
  EXPECT_EQ(theirs(1, "linear_0/weight"), bytes_of(ours(1, "query_weight").roll(4, 0)));
  EXPECT_EQ(theirs(1, "linear_2/weight"), bytes_of(ours(1, "output_weight").roll(4, 1)));
  EXPECT_EQ(theirs(1, "linear_2/bias"), bytes_of(ours(1, "output_bias")));
  const std::vector<Tensor> memory = ours(1, "memory_weight").chunk(2);
  EXPECT_EQ(theirs(1, "linear_1/weight"),
            bytes_of(at::cat({memory[0].roll(4, 0), memory[1].roll(4, 0)})));
  EXPECT_EQ(theirs(0, "linear_0/weight"), bytes_of(ours(0, "query_weight")));
}

TEST_F(CTranslate2Test, TwoVocabulariesHaveAFileEach) {
  export_ctranslate2(scratch(), import_marianmt(case_directory("separate")));
  EXPECT_TRUE(std::filesystem::exists(scratch() / "source_vocabulary.json"));
  EXPECT_TRUE(std::filesystem::exists(scratch() / "target_vocabulary.json"));
  EXPECT_EQ(read_file(scratch() / "source.spm"),
            read_file(case_directory("separate") / "source.spm"));
}

EncodingContext context_at(AttentionSite site) {
  EncodingContext context;
  context.site = site;
  context.layers = 2;
  context.heads = 4;
  context.head_width = 8;
  context.model_width = 32;
  context.max_positions = 50;
  return context;
}

/// Why a stack cannot be exported; its variables go to `file`.
std::string exported(const std::string& spec, AttentionSite site, CTranslate2File& file) {
  const EncodingContext context = context_at(site);
  const PositionScheme scheme(spec, context);
  return add_positions(file, {"stack", scheme, context});
}

TEST(CTranslate2Positions, BucketsGiveEachOffsetItsNumber) {
  for (const AttentionSite site : {AttentionSite::kEncoder, AttentionSite::kDecoder}) {
    for (const char* spec : {"t5", "t5(buckets=8,distance=20)", "alibi", "diet-rel(share=layers)",
                             "diet-rel(clip=3,share=all)", "kerple"}) {
      SCOPED_TRACE(spec);
      const EncodingContext context = context_at(site);
      const PositionScheme scheme(spec, context);
      CTranslate2File file;
      ASSERT_EQ(add_positions(file, {"stack", scheme, context}), "");
      const std::string scope = "stack/layer_1/self_attention/relative_attention_";
      const Tensor table = std::get<Tensor>(file.variables().at(scope + "bias"));
      const auto distance = std::get<int32_t>(file.variables().at(scope + "max_distance"));
      const Tensor bias =
          scheme.lower({80, 80}, at::empty({0}))[1].offset_bias.expand({4, -1});  // [H, 2C+1]
      const int64_t clip = bias.size(1) / 2;
      for (int64_t offset = -79; offset <= (context.causal() ? 0 : 79); ++offset) {
        const int64_t bucket =
            encoders::t5_bucket(offset, context.causal(), table.size(0), distance);
        const Tensor expected = bias.select(1, std::clamp(offset, -clip, clip) + clip);
        ASSERT_TRUE(at::allclose(table[bucket], expected, 0, 1e-6)) << "offset " << offset;
      }
      EXPECT_FALSE(file.variables().contains("stack/position_encodings/encodings"));
    }
  }
}

TEST(CTranslate2Positions, TablesAddedToTheEmbeddings) {
  for (const char* spec : {"sinusoidal", "sinusoidal(layout=halves)", "learned", "none"}) {
    SCOPED_TRACE(spec);
    const EncodingContext context = context_at(AttentionSite::kEncoder);
    const PositionScheme scheme(spec, context);
    CTranslate2File file;
    ASSERT_EQ(add_positions(file, {"stack", scheme, context}), "");
    const Tensor table =
        std::get<Tensor>(file.variables().at("stack/position_encodings/encodings"));
    EXPECT_EQ(table.size(0), std::min(scheme.max_length(), kExportedPositions));
    const Tensor positions = at::arange(50);
    const Tensor x = torch::randn({50, 32});
    EXPECT_TRUE(at::allclose(x + table.slice(0, 0, 50), scheme.embed(x, positions)));
  }
}

TEST(CTranslate2Positions, RotationsAndRelativeVectors) {
  CTranslate2File rotary, shaw;
  EXPECT_EQ(exported("rope(base=500)", AttentionSite::kDecoder, rotary), "");
  const std::string scope = "stack/layer_0/self_attention/";
  EXPECT_EQ(std::get<float>(rotary.variables().at(scope + "rotary_base")), 500.0F);
  EXPECT_EQ(std::get<int32_t>(rotary.variables().at(scope + "rotary_dim")), 0);
  CTranslate2File scaled;  // the base grows by 4^(8/6)
  EXPECT_EQ(exported("rope(base=500,factor=4,scaling=ntk)", AttentionSite::kDecoder, scaled), "");
  EXPECT_NEAR(std::get<float>(scaled.variables().at(scope + "rotary_base")), 3174.802, 1e-3);
  EXPECT_EQ(exported("shaw(clip=5,values=false)", AttentionSite::kEncoder, shaw), "");
  EXPECT_THAT(std::get<Tensor>(shaw.variables().at(scope + "relative_position_keys")).sizes(),
              ElementsAre(11, 8));
  EXPECT_EQ(std::get<Tensor>(shaw.variables().at(scope + "relative_position_values"))
                .count_nonzero()
                .item<int64_t>(),
            0);
}

TEST(CTranslate2Positions, RotationsOfOnePairMustBeUnscaled) {
  EncodingContext context = context_at(AttentionSite::kEncoder);
  context.head_width = 2;
  const auto problem = [&](const std::string& spec) {
    CTranslate2File file;
    return add_positions(file, {"stack", PositionScheme(spec, context), context});
  };
  EXPECT_EQ(problem("rope"), "");
  EXPECT_NE(problem("rope(factor=4,scaling=linear)"), "");
}

TEST(CTranslate2Positions, UnscaledContentHasAScale) {
  CTranslate2File file;
  EXPECT_EQ(exported("t5(scaled=false)", AttentionSite::kEncoder, file), "");
  EXPECT_EQ(std::get<float>(file.variables().at("stack/layer_1/self_attention/queries_scale")),
            1.0F);
}

TEST(CTranslate2Positions, RefusalsNameTheEncodingTheReasonAndWhatWorks) {
  for (const auto& [spec, reason] :
       {std::pair("diet-abs", "for pairs of positions"), std::pair("diet-rel", "share=layers"),
        std::pair("shaw(share=none)", "share=heads"), std::pair("cope", "depend on the text"),
        std::pair("learned+diet-rel(share=layers)", "several kinds"),
        std::pair("xpos", "change lengths"), std::pair("rope(factor=2)", "not powers of a base"),
        std::pair("relative-key-query", "relative vectors multiplied by the keys"),
        std::pair("transformer-xl", "no ")}) {
    SCOPED_TRACE(spec);
    CTranslate2File file;
    const std::string problem = exported(spec, AttentionSite::kDecoder, file);
    EXPECT_THAT(problem,
                AllOf(HasSubstr(reason),
                      HasSubstr("stack's position encoding '" + std::string(spec).substr(0, 4)),
                      HasSubstr("what works: none, sinusoidal")));
  }
}

}  // namespace
}  // namespace dietmt::interchange
