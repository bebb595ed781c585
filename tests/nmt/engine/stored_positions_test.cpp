// Packed models with position terms: decoding without LibTorch's modules gives the same bits, or
// the directory has no such terms.
#include "nmt/engine/stored_positions.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <map>
#include <set>

#include "common/error.h"
#include "common/files.h"
#include "encoders/position/term_table.h"
#include "encoders/weights/safetensors.h"
#include "kernels/attention_tables.h"
#include "nmt/tensor_decoding/decoder_loader.h"
#include "nmt/translation/loaded_decoder.h"
#include "tests/encoders/position/encoding_list.h"
#include "tests/nmt/engine/model_files_test.h"

namespace dietmt::nmt {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

struct Positions {
  const char* encoder;
  const char* decoder;
  const char* cross = "none";
};

/// The engine has tables for all terms except segments, which sentences do not have.
TEST(TermTables, CoverEveryTermButSegments) {
  encoders::ScoreTerms terms;
  std::set<std::string> visited, wanted;
  visit_tables(terms, [&](const char* name, const at::Tensor&, TermRows) { visited.insert(name); });
  for (const encoders::Term& term : encoders::kTerms)
    if (term.table != &encoders::ScoreTerms::segment_bias) wanted.insert(term.name);
  EXPECT_EQ(visited, wanted);
}

TEST(TermTables, AreAllTheTablesOfALayer) {
  LayerTerms layer;
  size_t tables = 0;
  visit_tables(layer, [&](const char*, const TermTable&, TermRows) { ++tables; });
  EXPECT_EQ(sizeof layer,
            tables * sizeof(TermTable) + sizeof layer.content_scale + sizeof layer.halved);
}

TEST(TermTables, ReachTheEngine) {
  std::map<const float*, std::string> missing;
  const std::vector<float> numbers(100);
  SiteTerms site{.length = 3, .embedding = {}, .layers = {LayerTerms()}, .storage = {}};
  visit_tables(site.layers[0], [&](const char* name, TermTable& table, TermRows) {
    table = {&numbers[missing.size()], 2, 3, 5, 15};
    missing[table.data] = name;
  });
  const auto positions = site_positions(site);
  const LayerPositions& layer = positions->layers.at(0);
  for (const kernels::AttentionTable& row : kernels::kAttentionTables) {
    const float* table = (layer.step.terms.tables.*row.table).data;
    const int64_t size = kernels::has_offsets(row.rows) ? 1 : 5;  // 2C + 1 rows, R wide
    if (missing.erase(table) == 0 || row.size == nullptr) continue;
    EXPECT_EQ(layer.step.terms.*row.size, size);
  }
  missing.erase(layer.step.contextual.data);
  for (const VectorMoves* moves : {&layer.queries, &layer.keys})
    for (const PositionRows* rows : {&moves->shift, &moves->cosines, &moves->sines})
      missing.erase(rows->data);
  missing.erase(layer.key_compression.data);
  missing.erase(layer.value_compression.data);
  EXPECT_THAT(missing, testing::IsEmpty());
}

/// Two heads share the keys and the bias: [1, 3, 2] and [1, 2, 3].
TEST(TermTables, FeaturesAreMultipliedOnce) {
  const std::vector<float> queries = {1, 2, 3, 4, 5, 6, 7, 8}, keys = {1, 10, 2, 20, 3, 30},
                           bias = {0, 1, 2, 3, 4, 5};
  LayerTerms layer;
  layer.query_features = {queries.data(), 2, 2, 2, 4};
  layer.key_features = {keys.data(), 1, 3, 2, 6};
  layer.position_bias = {bias.data(), 1, 2, 3, 6};
  LayerTerms without = layer;
  without.query_features = without.key_features = {};
  const SiteTerms made = multiply_features(
      {.length = 3, .embedding = {}, .layers = {layer, layer, without}, .storage = {}});
  const TermTable& sum = made.layers[0].position_bias;
  EXPECT_FALSE(made.layers[0].query_features || made.layers[0].key_features);
  ASSERT_EQ(std::tuple(sum.heads, sum.rows, sum.width), std::tuple(2, 2, 3));
  EXPECT_THAT(std::vector<float>(sum.data, sum.data + 12),
              testing::ElementsAre(21, 43, 65, 46, 90, 134, 65, 131, 197, 90, 178, 266));
  EXPECT_EQ(made.layers[1].position_bias.data, sum.data);
  EXPECT_EQ(made.layers[2].position_bias.data, bias.data());
}

TEST(TermTables, FeaturesOfLongSentencesStay) {
  const std::vector<float> numbers(1025);
  for (const int64_t rows : {1024, 1025}) {
    LayerTerms layer;
    layer.query_features = layer.key_features = {numbers.data(), 1, rows, 1, rows};
    const SiteTerms made =
        multiply_features({.length = rows, .embedding = {}, .layers = {layer}, .storage = {}});
    EXPECT_EQ(bool{made.layers[0].position_bias}, rows == 1024);
    EXPECT_EQ(bool{made.layers[0].query_features}, rows == 1025);
  }
}

class StoredPositionsTest : public ModelFilesTest {
 protected:
  void write(const Positions& positions, int64_t max_positions = 300) {
    ModelConfig config = engine_config();
    config.encoder_position = positions.encoder;
    config.decoder_position = positions.decoder;
    config.cross_position = positions.cross;
    config.max_positions = max_positions;
    write_full(config);
    directories_ = {quantized("int8").string()};
  }
  fs::path file() const { return directory_ / "int8" / kPositionsFile; }

  // Sentences of several length classes, with beams and with samples.
  void expect_the_same() const {
    const auto stored = load_stored_decoder(directories_, {});
    ASSERT_TRUE(stored);
    const LoadedDecoder lowered = load_decoder(directories_, {});
    SearchOptions options = short_search(3, 2);
    options.max_length_offset = 90;
    const auto requests = random_requests(8, 140, 5);
    expect_identical(decode(*stored->decoder, requests, options),
                     decode(*lowered.decoder, requests, options));
    options.sample = true;
    options.top_k = 5;
    expect_identical(decode(*stored->decoder, requests, options),
                     decode(*lowered.decoder, requests, options));
  }

  std::string failure() const {
    try {
      load_stored_decoder(directories_, {});
    } catch (const CheckpointError& error) {
      EXPECT_THAT(error.what(), HasSubstr(file().string()));
      return error.what();
    }
    return "loaded";
  }

  std::vector<std::string> directories_;
};

// For each encoding, a file is written only if it holds the modules' terms.
TEST_F(StoredPositionsTest, DecodeAsTheModulesOrAreNotStored) {
  std::set<std::string> stored;
  for (const encoders::Encoding& encoding : encoders::kEncodings) {
    if (encoding.spec.find("segments") != std::string::npos) continue;  // words have none
    SCOPED_TRACE(encoding.spec);
    const char* spec = encoding.spec.c_str();
    write({encoding.encoder ? spec : "none", encoding.decoder ? spec : "none"});
    if (fs::exists(file())) {
      expect_the_same();
      stored.insert(encoding.spec);
    } else {
      EXPECT_FALSE(load_stored_decoder(directories_, {}));
    }
  }
  for (const char* spec : {"none",
                           "sinusoidal",
                           "sinusoidal(layout=halves)",
                           "sinusoidal(layout=halves-2m)",
                           "learned",
                           "learnable-sinusoidal",
                           "diet-rel",
                           "diet-rel(share=layers)",
                           "alibi",
                           "kerple",
                           "shaw(clip=2)",
                           "relative-sinusoidal(clip=9)",
                           "relative-key",
                           "t5",
                           "rope",
                           "rope(pairs=halves,base=100)",
                           "rope(base=20,factor=4,length=8)",
                           "diet-abs",
                           "diet-abs(rank=3,share=layers)",
                           "tupe-a",
                           "tupe-r"})
    EXPECT_TRUE(stored.contains(spec)) << spec;
  EXPECT_FALSE(stored.contains("fire"));
  write({"tupe-a(cls=untied)", "none"});
  EXPECT_FALSE(fs::exists(file()));
}

TEST_F(StoredPositionsTest, SitesAndHeadsMayDiffer) {
  for (const Positions& positions :
       std::vector<Positions>{{"heads[diet-rel:0,shaw(clip=16):1-2,rope:3]", "relative-key-query"},
                              {"heads[diet-abs:0-1,tupe-r:2,t5:3]", "tupe-r", "diet-abs"},
                              {"sinusoidal", "learned+diet-rel", "diet-rel"}}) {
    SCOPED_TRACE(std::string(positions.encoder) + ", " + positions.decoder);
    write(positions);
    ASSERT_TRUE(fs::exists(file()));
    expect_the_same();
  }
}

TEST_F(StoredPositionsTest, AnEnsembleNeedsThemInAllItsModels) {
  write({"sinusoidal", "rope"});
  directories_.push_back(quantized("fp32").string());
  expect_the_same();
  fs::remove(directory_ / "fp32" / kPositionsFile);
  EXPECT_FALSE(load_stored_decoder(directories_, {}));
}

// Directories from earlier versions have no such file.
TEST_F(StoredPositionsTest, WithoutTheFileTheModelIsLeftToTheModules) {
  write({"learned", "learned"});
  fs::remove(file());
  EXPECT_FALSE(load_stored_decoder(directories_, {}));
  EXPECT_FALSE(load_stored_decoder({full().string()}, {}));
  EXPECT_NE(load_decoder(directories_, {}).decoder, nullptr);
}

TEST_F(StoredPositionsTest, SentencesLongerThanTheTablesNeedTheModules) {
  const auto loads = [&](int64_t source, int64_t offset) {
    StoredDecoderOptions options;
    options.search.max_source_length = source;
    options.search.max_length_offset = offset;
    return load_stored_decoder(directories_, options).has_value();
  };
  write({"rope", "rope"});
  EXPECT_TRUE(loads(1000, 2096));
  EXPECT_FALSE(loads(1000, 2097));
  EXPECT_FALSE(loads(4097, 1));
  EXPECT_EQ(load_stored_decoder(directories_, {})->decoder->max_source_length(), 4096);
  write({"sinusoidal", "sinusoidal"});  // computed for any length
  EXPECT_TRUE(loads(100'000, 50));
  write({"learned", "learned"});  // the model has no longer ones either
  EXPECT_TRUE(loads(100'000, 50));
  const LoadedDecoder lowered = load_decoder(directories_, {});
  const auto stored = load_stored_decoder(directories_, {});
  EXPECT_EQ(stored->decoder->max_source_length(), lowered.decoder->max_source_length());
  EXPECT_EQ(stored->decoder->max_target_length(), lowered.decoder->max_target_length());
}

TEST_F(StoredPositionsTest, LargeTablesAreNotStored) {
  write({"learned", "none"}, 1000);
  EXPECT_TRUE(fs::exists(file()));
  ModelConfig config = engine_config();
  config.encoder_layers = 5;
  config.max_positions = 4096;
  config.encoder_position = "diet-abs(rank=128)";
  config.decoder_position = "none";
  write_full(config);  // 21 MB of positions for each head
  quantized("int8");
  EXPECT_FALSE(fs::exists(file()));
}

TEST_F(StoredPositionsTest, DamageIsNamed) {
  write({"shaw(clip=3)", "learned"});
  const std::string bytes = read_file(file());
  for (size_t size = 0; size < bytes.size(); size += size < 64 ? 7 : 997) {
    write_file_atomically(file(), bytes.substr(0, size));
    EXPECT_NE(failure(), "loaded") << size;
  }
  write_file_atomically(file(), bytes);
  EXPECT_EQ(failure(), "loaded");

  std::string negative = bytes;
  const std::string length = "\\\"length\\\":4096";
  negative.replace(negative.find(length), length.size(), "\\\"length\\\":-409");
  write_file_atomically(file(), negative);
  EXPECT_THAT(failure(), HasSubstr("its lengths are not positive"));

  write_file_atomically(file(), bytes);
  const auto metadata = storage::load_safetensors_metadata(file());
  auto tensors = encoders::load_safetensors(file());
  encoders::save_safetensors(file(), {tensors.begin(), tensors.end()});
  EXPECT_THAT(failure(), HasSubstr("does not describe the tables"));
  auto one_row = tensors;  // steps would read past its end
  for (auto& [name, tensor] : one_row)
    if (tensor.size(1) > 100) tensor = tensor.narrow(1, 0, 1).contiguous();
  encoders::save_safetensors(file(), {one_row.begin(), one_row.end()}, metadata);
  EXPECT_THAT(failure(), HasSubstr("'embedding' are not those of the model"));
  tensors["table0"] = tensors["table0"].narrow(2, 0, 1).contiguous();
  encoders::save_safetensors(file(), {tensors.begin(), tensors.end()}, metadata);
  EXPECT_THAT(failure(), HasSubstr("are not those of the model"));
  tensors.erase("table0");
  encoders::save_safetensors(file(), {tensors.begin(), tensors.end()}, metadata);
  EXPECT_THAT(failure(), HasSubstr("'table0' is missing"));
}

TEST_F(StoredPositionsTest, FeaturesWithoutNumbersAreRefused) {
  write({"diet-abs", "none"});
  EXPECT_EQ(failure(), "loaded");
  const auto metadata = storage::load_safetensors_metadata(file());
  auto tensors = encoders::load_safetensors(file());
  for (auto& [name, tensor] : tensors) tensor = tensor.narrow(2, 0, 0).contiguous();
  encoders::save_safetensors(file(), {tensors.begin(), tensors.end()}, metadata);
  EXPECT_THAT(failure(), HasSubstr("are not those of the model"));
}

}  // namespace
}  // namespace dietmt::nmt
