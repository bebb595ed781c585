// Models on disk, full and quantized, decode like the model in memory.
#include <gmock/gmock.h>

#include <cstring>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/files.h"
#include "encoders/weights/safetensors.h"
#include "nmt/engine/repack.h"
#include "nmt/engine/stored_positions.h"
#include "nmt/packing/engine_models.h"
#include "nmt/tensor_decoding/decoder_loader.h"
#include "tests/nmt/engine/model_files_test.h"

namespace dietmt::nmt {
namespace {

namespace fs = std::filesystem;
using kernels::WeightType;
using testing::HasSubstr;

struct Setting {
  const char* name;
  const char* tied;
  const char* norm;
  const char* activation;
  const char* position;
  bool output_bias;
  bool grouped = false;  // RMS norms, normalized queries and keys, two heads of keys
};
constexpr Setting kSettings[] = {
    {"plain", "all", "post", "relu", "sinusoidal", false},
    {"tables", "decoder", "pre", "gelu", "learned+shaw(clip=3)", false},
    {"gated", "none", "pre", "swiglu", "tupe-r", true},
    {"grouped", "all", "pre", "relu", "rope", false, true}};

ModelConfig config_of(const Setting& setting) {
  ModelConfig config = engine_config();
  config.tied_embeddings = setting.tied;
  config.norm = setting.norm;
  config.activation = setting.activation;
  config.encoder_position = config.decoder_position = setting.position;
  config.output_bias = setting.output_bias;
  if (!setting.grouped) return config;
  config.norm_type = "rms";
  config.qk_norm = true;
  config.kv_heads = 2;
  return config;
}

// The JSON of a safetensors file, and the bytes of its tensors.
std::pair<std::string, std::string> split_safetensors(const std::string& file) {
  uint64_t length = 0;
  std::memcpy(&length, file.data(), sizeof length);
  return {file.substr(sizeof length, length), file.substr(sizeof length + length)};
}

std::string join_safetensors(const std::string& header, const std::string& data) {
  const uint64_t length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + header + data;
}

class EngineFilesTest : public ModelFilesTest {
 protected:
  fs::path weights() const { return directory_ / "int8" / "model.safetensors"; }

  static std::vector<NBest> translations(const SentenceDecoder& decoder) {
    return decode(decoder, random_requests(25, 20, 4), short_search(4, 3));
  }
  static std::vector<NBest> translations(const fs::path& directory,
                                         std::optional<WeightType> type = {}) {
    return translations(*load_decoder({directory.string()}, {.weights = type}).decoder);
  }

  // Loads the quantized model after changing its tensors.
  std::string failure_with(const std::function<void(std::map<std::string, at::Tensor>&)>& change) {
    auto tensors = encoders::load_safetensors(weights());
    change(tensors);
    encoders::save_safetensors(weights(), {tensors.begin(), tensors.end()});
    return failure();
  }
  std::string failure() const {
    try {
      load_engine_model(open_model(directory_ / "int8"), {});
    } catch (const CheckpointError& error) {
      EXPECT_THAT(error.what(), HasSubstr(weights().string()));
      return error.what();
    }
    return "loaded";
  }
};

TEST_F(EngineFilesTest, DecodeAsTheModelInMemory) {
  for (const Setting& setting : kSettings) {
    SCOPED_TRACE(setting.name);
    const Models models = {write_full(config_of(setting))};
    expect_identical(translations(full()), translations(*engine_of(models)));
    for (const auto& [name, type] : {std::pair{"int8", WeightType::kInt8},
                                     {"bf16", WeightType::kBFloat16},
                                     {"fp32", WeightType::kFloat}}) {
      const auto wanted = translations(*engine_of(models, type));
      expect_identical(translations(full(), type), wanted);
      expect_identical(translations(quantized(name)), wanted);
      expect_identical(translations(directory_ / name, type), wanted);
    }
  }
}

TEST_F(EngineFilesTest, AnEnsembleMayMixTypes) {
  const Models models = {write_full(config_of(kSettings[0]))};
  const LoadedDecoder both = load_decoder({full().string(), quantized("int8").string()}, {});
  std::vector<EngineModel> packed;
  packed.push_back(make_engine_model(*models.front(), WeightType::kFloat));
  packed.push_back(make_engine_model(*models.front(), WeightType::kInt8));
  const EngineDecoder wanted(std::move(packed), SpecialTokens{});
  expect_identical(translations(*both.decoder), translations(wanted));
}

TEST_F(EngineFilesTest, TiedTablesAreStoredOnce) {
  for (const Setting& setting : kSettings) {
    write_full(config_of(setting));
    const EngineModel model = load_engine_model(open_model(quantized("int8")), {});
    const EngineWeights& weights = *model.weights;
    const std::string tied = setting.tied;
    EXPECT_EQ(weights.target_embedding.panels == weights.output.weights.panels, tied != "none");
    EXPECT_EQ(weights.source_embedding.panels == weights.output.weights.panels, tied == "all");
  }
}

TEST_F(EngineFilesTest, TakeAQuarterOrHalfOfTheBytes) {
  ModelConfig config = config_of(kSettings[0]);
  config.width = 512;  // panels are padded to 64 outputs, which costs small layers more
  write_full(config);
  const auto bytes = [](const fs::path& directory) {
    return static_cast<double>(fs::file_size(directory / "model.safetensors"));
  };
  EXPECT_LT(bytes(quantized("int8")), 0.3 * bytes(full()));
  EXPECT_LT(bytes(quantized("bf16")), 0.55 * bytes(full()));
}

TEST_F(EngineFilesTest, OtherTypesAndUsesAreRefused) {
  write_full(config_of(kSettings[0]));
  const fs::path directory = quantized("int8");
  for (const WeightType type : {WeightType::kFloat, WeightType::kBFloat16}) {
    try {
      load_engine_model(open_model(directory), type);
      ADD_FAILURE() << "loaded";
    } catch (const ConfigError& error) {
      EXPECT_THAT(error.what(), HasSubstr("holds only int8 weights"));
    }
  }
  for (const auto& use : std::vector<std::function<void()>>{
           [&] { load_model(directory); },
           [&] { write_quantized(directory_ / "again", open_model(directory), "int8"); }}) {
    try {
      use();
      ADD_FAILURE() << "loaded";
    } catch (const CheckpointError& error) {
      EXPECT_THAT(error.what(), HasSubstr("int8: packed int8 weights only decode, on the CPU"));
    }
  }
}

// Weights are rounded once, whether they come from the trained model or from its packed copy.
TEST_F(EngineFilesTest, PackedFp32WeightsGiveTheFilesOfTheFullOnes) {
  for (const Setting& setting : kSettings) {
    SCOPED_TRACE(setting.name);
    write_full(config_of(setting));
    const ModelFiles packed = open_model(quantized("fp32"));
    for (const std::string type : {"int8", "bf16", "fp32"}) {
      const fs::path wanted = quantized(type), again = directory_ / "again";
      fs::remove_all(again);
      fs::create_directories(again);
      repack(again, packed, type);
      for (const char* name : {"model.safetensors", kConfigFile, kPositionsFile}) {
        ASSERT_EQ(fs::exists(wanted / name), fs::exists(again / name)) << type << ' ' << name;
        if (!fs::exists(wanted / name)) continue;
        EXPECT_TRUE(read_file(wanted / name) == read_file(again / name)) << type << ' ' << name;
      }
    }
  }
}

TEST_F(EngineFilesTest, EveryCutIsNoticed) {
  write_full(config_of(kSettings[1]));
  quantized("int8");
  const std::string bytes = read_file(weights());
  for (size_t size = 0; size < bytes.size(); size += size < 64 ? 7 : 997) {
    write_file_atomically(weights(), bytes.substr(0, size));
    EXPECT_NE(failure(), "loaded") << size;
  }
  write_file_atomically(weights(), bytes);
  EXPECT_EQ(failure(), "loaded");
}

TEST_F(EngineFilesTest, WrongTensorsAreNamed) {
  write_full(config_of(kSettings[1]));
  const std::string matrix = "decoder.layer1.cross_attention.memory_weight";
  const auto failing = [&](const std::function<void(std::map<std::string, at::Tensor>&)>& change) {
    quantized("int8");
    return failure_with(change);
  };
  EXPECT_THAT(failing([&](auto& all) { all.erase(matrix); }), HasSubstr(matrix + "' is missing"));
  EXPECT_THAT(failing([&](auto& all) { all.erase(matrix + ".sums"); }),
              HasSubstr(matrix + ".sums' is missing"));
  EXPECT_THAT(failing([&](auto& all) { all[matrix] = all[matrix].flatten(); }),
              HasSubstr(matrix + "' has shape [1024], the model's is [1, 4, 64, 4]"));
  EXPECT_THAT(failing([&](auto& all) { all[matrix] = all[matrix].to(at::kFloat); }),
              HasSubstr(matrix + "' has type F32; the weights need I8"));
  EXPECT_THAT(failing([&](auto& all) { all["surplus"] = at::ones(1); }),
              HasSubstr("surplus' is not a parameter"));
  EXPECT_THAT(failing([&](auto& all) {
                std::erase_if(all, [](const auto& named) {
                  return named.first.starts_with("encoder.position.");
                });
              }),
              HasSubstr("tensor 'encoder.position."));
}

// Another program's file may lack the order and the padding that align the panels.
TEST_F(EngineFilesTest, PanelsMustBeAligned) {
  write_full(config_of(kSettings[0]));
  quantized("int8");
  auto [header, data] = split_safetensors(read_file(weights()));
  write_file_atomically(weights(), join_safetensors(header + std::string(8, ' '), data));
  EXPECT_THAT(failure(), HasSubstr("does not start at a multiple of 64 bytes"));
}

TEST_F(EngineFilesTest, NumbersMustBeAligned) {
  write_full(config_of(kSettings[0]));
  quantized("int8");
  auto [text, data] = split_safetensors(read_file(weights()));
  auto header = nlohmann::json::parse(text);
  // Inserts a byte before the last numbers.
  const auto begin_of = [](const nlohmann::json& entry) {
    return entry.at("data_offsets").at(0).get<uint64_t>();
  };
  uint64_t last = 0;
  for (const auto& [name, entry] : header.items())
    if (name != "__metadata__" && entry.at("dtype") == "F32")
      last = std::max(last, begin_of(entry));
  for (auto& [name, entry] : header.items()) {
    if (name == "__metadata__" || begin_of(entry) < last) continue;
    for (auto& offset : entry.at("data_offsets")) offset = offset.get<uint64_t>() + 1;
  }
  header["surplus"] = {{"dtype", "I8"}, {"shape", {1}}, {"data_offsets", {last, last + 1}}};
  data.insert(last, 1, ' ');
  text = header.dump();
  text.resize((text.size() + 8 + 63) / 64 * 64 - 8, ' ');
  write_file_atomically(weights(), join_safetensors(text, data));
  EXPECT_THAT(failure(), HasSubstr("does not start at a multiple of 4 bytes"));
}

}  // namespace
}  // namespace dietmt::nmt
