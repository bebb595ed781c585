// Models that CTranslate2's own converters wrote, and what CTranslate2 computes with them.
#include "interchange/ctranslate2/ctranslate2_import.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "interchange/ctranslate2/ctranslate2_export.h"
#include "interchange/ctranslate2/import_positions.h"
#include "interchange/ctranslate2/package_files.h"
#include "interchange/foreign_model.h"
#include "interchange/huggingface/marianmt.h"
#include "kernels/packed_linear.h"
#include "nmt/packing/engine_models.h"
#include "tests/common/scratch.h"
#include "tests/interchange/cases.h"
#include "tests/interchange/reference.h"

namespace dietmt::interchange {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAreArray;
using testing::HasSubstr;

fs::path case_path(const std::string& name) { return fs::path(DIETMT_CTRANSLATE2_CASES) / name; }

nlohmann::json reference(const std::string& name) {
  return read_reference(case_path(name + ".json"));
}

constexpr int64_t kLongest = 40;  // tokens of a translation

class CTranslate2ImportTest : public ScratchTest {
 protected:
  /// A copy of a case that a test may damage.
  fs::path copy_of(const std::string& name) {
    fs::copy(case_path(name), scratch() / name, fs::copy_options::recursive);
    return scratch() / name;
  }

  static void write(const fs::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
  }
};

TEST_F(CTranslate2ImportTest, AnArgosPackageComputesWhatCTranslate2Does) {
  const nmt::LoadedModel model = import_ctranslate2(case_path("argos.argosmodel"), {});
  EXPECT_EQ(model.model->config().tied_embeddings, "all");
  EXPECT_EQ(model.model->config().encoder_position, "sinusoidal");
  EXPECT_TRUE(model.source_tokenizer->source_ending().empty());
  expect_reference(model, reference("argos"), kLongest);
}

// Both programs give each row of int8 weights one scale, so that its largest weight is 127.
TEST_F(CTranslate2ImportTest, QuantizingAnInt8ModelGivesItsIntegersAgain) {
  PackageFiles files(case_path("argos.argosmodel"));
  const CTranslate2Model model = read_ctranslate2(files.bytes("model/model.bin"));
  const TensorsByName floats = dequantized(model);
  int64_t matrices = 0;
  for (const auto& [name, integers] : model.variables) {
    if (integers.scalar_type() != at::kChar || integers.dim() != 2) continue;
    const at::Tensor weights = floats.at(name).contiguous();
    const int64_t outputs = weights.size(0), inputs = weights.size(1);
    constexpr auto kInt8 = kernels::WeightType::kInt8;
    const auto bytes = static_cast<int64_t>(kernels::packed_bytes(kInt8, outputs, inputs));
    at::Tensor panels = at::empty({bytes}, at::kByte), scales = at::empty({outputs});
    at::Tensor sums = at::empty({outputs}, at::kInt), rounded = at::empty_like(weights);
    kernels::pack_weights(kInt8, outputs, inputs, weights.const_data_ptr<float>(), inputs,
                          panels.mutable_data_ptr(), scales.mutable_data_ptr<float>(),
                          sums.mutable_data_ptr<int32_t>());
    const kernels::PackedWeights packed{kInt8,
                                        outputs,
                                        inputs,
                                        panels.const_data_ptr(),
                                        scales.const_data_ptr<float>(),
                                        sums.const_data_ptr<int32_t>()};
    for (int64_t n = 0; n < outputs; ++n)
      kernels::unpack_output(packed, n, rounded.mutable_data_ptr<float>() + n * inputs);
    EXPECT_TRUE(at::equal((rounded / scales.unsqueeze(1)).round().to(at::kChar), integers)) << name;
    ++matrices;
  }
  EXPECT_GT(matrices, 10);
}

TEST_F(CTranslate2ImportTest, RelativePositionsGatesAndRmsNorms) {
  const nmt::LoadedModel model = import_ctranslate2(case_path("relative"), {});
  EXPECT_EQ(model.model->config().activation, "swiglu");
  EXPECT_EQ(model.model->config().encoder_position, "shaw(clip=3)");
  EXPECT_EQ(model.model->config().alignment_layer, 2);
  expect_reference(model, reference("relative"), kLongest);
}

TEST_F(CTranslate2ImportTest, TablesWithoutScaleAndADecoderThatStartsFromTheEnd) {
  const nmt::LoadedModel model = import_ctranslate2(case_path("learned"), {});
  EXPECT_EQ(model.model->config().norm, "post");
  EXPECT_EQ(model.model->config().encoder_position, "learned");
  EXPECT_NE(model.target_tokenizer->begin_id(), model.target_tokenizer->end_id());
  expect_reference(model, reference("learned"), kLongest);
}

TEST_F(CTranslate2ImportTest, RotationsOfBothKinds) {
  const nmt::LoadedModel model = import_ctranslate2(case_path("rotary"), {});
  EXPECT_EQ(model.model->config().encoder_position, "rope(pairs=halves,base=5000)");
  EXPECT_EQ(model.model->config().decoder_position, "rope(factor=2,scaling=linear)");
  expect_reference(model, reference("rotary"), kLongest);
}

TEST_F(CTranslate2ImportTest, SlopesOfTheDecoder) {
  const nmt::LoadedModel model = import_ctranslate2(case_path("alibi"), {});
  EXPECT_EQ(model.model->config().decoder_position, "alibi");
  expect_reference(model, reference("alibi"), kLongest);
}

TEST(CTranslate2Positions, OtherRotationsAndSlopesAreNamed) {
  using Numbers = std::map<std::string, double>;
  // The spec, or the problem.
  const auto outcome = [](const std::string& scope, const Numbers& numbers) {
    CTranslate2Model model;
    for (const auto& [name, number] : numbers) model.variables[name] = at::tensor(number);
    ForeignTensors tensors("model.bin", {});
    nmt::ModelConfig config;
    config.width = 64;
    config.heads = 4;
    std::string spec;
    const std::string problem =
        failure<Error>([&] { spec = import_position(scope, config, 2, model, tensors).spec; });
    return spec.empty() ? problem : spec;
  };
  const auto rotation = [&](Numbers others) {
    const std::string first = "encoder/layer_0/self_attention/";
    const std::string second = "encoder/layer_1/self_attention/";
    Numbers numbers = {{first + "rotary_dim", 16}, {second + "rotary_dim", 16}};
    for (const auto& [name, number] : others)
      for (const std::string& layer : {first, second}) numbers[layer + name] = number;
    return outcome("encoder", numbers);
  };
  EXPECT_EQ(rotation({}), "rope(pairs=interleaved,base=10000)");
  EXPECT_EQ(rotation({{"rotary_scaling_type", 0}, {"rotary_scaling_factor", 4}}),
            "rope(pairs=interleaved,base=10000,factor=4,scaling=linear)");
  EXPECT_THAT(rotation({{"rotary_dim", 8}}),
              HasSubstr("rotary positions in a part of the heads (rotary_dim 8)"));
  EXPECT_THAT(rotation({{"rotary_scaling_type", 0}, {"rotary_scaling_factor", 1.5}}),
              HasSubstr("rotary_scaling_factor that is no whole number"));
  EXPECT_THAT(rotation({{"rotary_scaling_type", 1}}), HasSubstr("LongRoPE's (su) scaling"));
  EXPECT_THAT(rotation({{"rotary_scaling_type", 2}}), HasSubstr("Llama 3's scaling"));
  EXPECT_THAT(rotation({{"rotary_base", 500.5}}), HasSubstr("rotary positions is 500.5"));
  EXPECT_THAT(outcome("encoder", {{"encoder/layer_0/self_attention/rotary_dim", 0}}),
              HasSubstr("layer_1/self_attention/rotary_dim differs from that of the first layer"));
  EXPECT_THAT(outcome("decoder", {{"decoder/alibi", 1}, {"decoder/scale_alibi", 1}}),
              HasSubstr("has ALiBi with scaled slopes"));
  EXPECT_THAT(
      outcome("decoder", {{"decoder/alibi", 1}, {"decoder/layer_0/self_attention/rotary_dim", 0}}),
      HasSubstr("has rotary positions and ALiBi in its decoder"));
}

// What transformers computes with the models that CTranslate2 converted.
TEST_F(CTranslate2ImportTest, ModelsOfTransformersComputeWhatTheyDidBefore) {
  constexpr int64_t kLongestOfTransformers = 20;
  for (const char* name : {"nllb", "t5", "madlad"}) {
    SCOPED_TRACE(name);
    const nmt::LoadedModel model = import_ctranslate2(case_path(name), {});
    EXPECT_FALSE(model.source_tokenizer->source_ending().empty());
    expect_reference(model, read_reference(fs::path(DIETMT_TRANSFORMERS_CASES) / name += ".json"),
                     kLongestOfTransformers);
  }
}

TEST_F(CTranslate2ImportTest, TheModelOnDiskReadsSourcesInTheSameWay) {
  const nmt::LoadedModel model = import_ctranslate2(case_path("argos.argosmodel"), {});
  std::vector<std::pair<std::string, at::Tensor>> weights;
  for (const auto& parameter : model.model->named_parameters())
    weights.emplace_back(parameter.key(), parameter.value());
  nmt::write_model(scratch(), model.model->config(), weights, *model.source_tokenizer,
                   *model.source_tokenizer);
  expect_reference(nmt::load_model(scratch()), reference("argos"), kLongest);
}

TEST_F(CTranslate2ImportTest, AnExportedModelComesBack) {
  const nmt::LoadedModel model = import_marianmt(case_directory("shared"));
  export_ctranslate2(scratch(), model);
  EXPECT_TRUE(is_ctranslate2(scratch()));
  const nmt::LoadedModel back = import_ctranslate2(scratch(), {});
  EXPECT_EQ(back.model->config().to_json(),
            [&] {
              nmt::ModelConfig config = model.model->config();
              config.alignment_layer = 1;  // the default, which export writes
              config.max_positions = nmt::ModelConfig().max_positions;
              config.dropout = nmt::ModelConfig().dropout;
              config.embedding_dropout = nmt::ModelConfig().embedding_dropout;
              config.attention_dropout = config.activation_dropout = 0;
              return config;
            }()
                .to_json());
  const auto parameters = model.model->named_parameters();
  for (const auto& parameter : back.model->named_parameters())
    EXPECT_TRUE(at::equal(parameter.value(), parameters[parameter.key()])) << parameter.key();
}

TEST_F(CTranslate2ImportTest, DamageIsNamed) {
  const fs::path model = copy_of("learned") / "model.bin";
  const std::string bytes = read_file(model);
  const auto problem = [&] {
    return failure<Error>([&] { import_ctranslate2(model.parent_path(), {}); });
  };
  write(model, bytes.substr(0, bytes.size() / 2));
  EXPECT_EQ(problem(), model.string() + ": is cut off");
  write(model, bytes + "x");
  EXPECT_THAT(problem(), AllOf(HasSubstr(model.string()), HasSubstr("1 bytes after its end")));
  write(model, "\x09" + bytes.substr(1));
  EXPECT_THAT(problem(), HasSubstr("of a version (9) that this program does not know"));
  std::string renamed = bytes;
  renamed.replace(renamed.find("decoder/embeddings/weight"), 7, "dec0der");
  write(model, renamed);
  EXPECT_THAT(problem(), HasSubstr("model.bin: "));
  write(model, bytes);
  fs::remove(model.parent_path() / "shared_vocabulary.json");
  EXPECT_THAT(problem(), HasSubstr("has neither shared_vocabulary nor source_vocabulary"));
  write(model.parent_path() / "shared_vocabulary.json", "[\"<s>\", \"</s>\", \"<unk>\"]");
  EXPECT_THAT(problem(), AllOf(HasSubstr("rows of pieces, but"), HasSubstr("has 3")));
}

// Every prefix of the weights, and every byte of their names and shapes changed: an error, and
// never a crash.
TEST_F(CTranslate2ImportTest, AnyDamageIsAnErrorOrAModel) {
  const fs::path model = copy_of("learned") / "model.bin";
  const std::string bytes = read_file(model);
  for (size_t at = 0; at < bytes.size(); at += at < 600 ? 1 : 997) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x41);
    write(model, damaged);
    try {
      import_ctranslate2(model.parent_path(), {});
    } catch (const Error&) {
    }
  }
}

TEST_F(CTranslate2ImportTest, ArchivesThatHideSomethingAreRefused) {
  const fs::path package = scratch() / "p.argosmodel";
  write(package, "PK no archive");
  EXPECT_THAT(failure<Error>([&] { import_ctranslate2(package, {}); }),
              HasSubstr("p.argosmodel: "));
}

TEST_F(CTranslate2ImportTest, TranslationsBeginWithThePrefixOfAPackage) {
  const fs::path package = scratch() / "package";
  fs::create_directory(package);
  fs::copy(case_path("relative"), package / "model");
  write(package / "metadata.json", R"({"from_code": "en", "target_prefix": ""})");
  EXPECT_TRUE(is_ctranslate2(package));
  expect_reference(import_ctranslate2(package, {}), reference("relative"), kLongest);
  const nlohmann::json prefixed = reference("prefixed");
  write(package / "metadata.json", nlohmann::json{{"target_prefix", prefixed.at("prefix")}}.dump());
  expect_reference(import_ctranslate2(package, {}), prefixed, kLongest);
  write(package / "metadata.json", R"({"target_prefix": "__de__"})");
  EXPECT_THAT(
      failure<Error>([&] { import_ctranslate2(package, {}); }),
      HasSubstr("target_vocabulary: lacks the piece __de__, target_prefix of metadata.json"));
}

TEST_F(CTranslate2ImportTest, MergesOfAPackageCutWordsOfMoses) {
  const fs::path package = scratch() / "package";
  fs::create_directory(package);
  fs::copy(case_path("relative"), package / "model");
  write(package / "bpe.model", "#version: 0.2\nd o\ndo g</w>\n");
  write(package / "metadata.json", R"({"from_code": "en", "to_code": "tr"})");
  const nmt::LoadedModel model = import_ctranslate2(package, {});
  const data::Tokenizer& source = *model.source_tokenizer;
  EXPECT_THAT(source.encode("dog dog"), ElementsAreArray(ids_of_pieces(source, {"dog", "dog"})));
  EXPECT_EQ(source.encode("“dog”").size(), 13) << "&quot; dog &quot; with unknown characters";
  EXPECT_THAT(source.serialized(), HasSubstr("moses-normalized en\n"));
  EXPECT_THAT(model.target_tokenizer->serialized(), HasSubstr("moses-normalized other\n"));
  write(package / "metadata.json", R"({"from_code": "en", "to_code": "fr"})");
  EXPECT_THAT(failure<Error>([&] { import_ctranslate2(package, {}); }),
              AllOf(HasSubstr("bpe.model: "), HasSubstr("to_code of metadata.json is 'fr'")));
}

TEST_F(CTranslate2ImportTest, ProgramsThatReadAnEndOfSourcesGetNoModelWithoutOne) {
  nmt::LoadedModel model = import_marianmt(case_directory("shared"));
  model.source_tokenizer = import_ctranslate2(case_path("argos.argosmodel"), {}).source_tokenizer;
  EXPECT_THAT(failure<Error>([&] { export_marianmt(scratch(), model); }),
              HasSubstr("MarianMT reads only end of sentence after each source"));
}

TEST_F(CTranslate2ImportTest, UnknownPartsAreNamed) {
  const fs::path directory = copy_of("relative");
  std::string bytes = read_file(directory / "model.bin");
  const std::string name = "relative_position_values";
  for (size_t at = bytes.find(name); at != bytes.npos; at = bytes.find(name, at + 1))
    bytes.replace(at, name.size(), "relative_position_voices");
  write(directory / "model.bin", bytes);
  EXPECT_THAT(failure<Error>([&] { import_ctranslate2(directory, {}); }),
              HasSubstr("has no tensor encoder/layer_0/self_attention/relative_position_values"));
}

}  // namespace
}  // namespace dietmt::interchange
