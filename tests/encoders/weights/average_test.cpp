#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "common/error.h"
#include "common/files.h"
#include "encoders/weights/safetensors.h"
#include "storage/checkpoint.h"
#include "tests/common/test_directory.h"
#include "tools/commands.h"

namespace dietmt::encoders {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

void write_model(const fs::path& directory, double value, const std::string& config = "{\"d\":1}") {
  fs::create_directories(directory);
  save_safetensors(directory / "model.safetensors",
                   {{"w", at::full({2, 3}, value)},
                    {"half", at::full({2}, value, at::kHalf)},
                    {"steps", at::full({1}, static_cast<int64_t>(value), at::kLong)}});
  write_text(directory / "config.json", config);
  write_text(directory / "tokenizer.model", "pieces");
  write_text(directory / "training.json", "{}");
}

double first_weight(const fs::path& directory) {
  return load_safetensors(directory / "model.safetensors").at("w")[0][0].item<double>();
}

TEST(AverageWeights, IsTheMeanInTheFirstDtypes) {
  const TestDirectory directory;
  for (const int value : {1, 2, 6}) write_model(directory / std::to_string(value), value);
  const auto mean = average_weights({directory / "1", directory / "2", directory / "6"});
  EXPECT_TRUE(at::equal(mean.at("w"), at::full({2, 3}, 3.0F)));
  EXPECT_TRUE(at::equal(mean.at("half"), at::full({2}, 3.0, at::kHalf)));
  EXPECT_EQ(mean.at("steps").item<int64_t>(), 1);
}

TEST(AverageWeights, SumsInDouble) {
  const TestDirectory directory;
  std::vector<fs::path> inputs;
  for (const float value : {1e8F, 1.0F, -1e8F, 1.0F}) {  // in float the first 1 is lost
    inputs.push_back(directory / std::to_string(inputs.size()));
    fs::create_directories(inputs.back());
    save_safetensors(inputs.back() / "model.safetensors", {{"w", at::full({1}, value)}});
  }
  EXPECT_EQ(average_weights(inputs).at("w").item<double>(), 0.5);
}

TEST(AverageWeights, NamesWhatDoesNotFit) {
  const TestDirectory directory;
  write_model(directory / "a", 1);
  for (const auto& [name, tensors] :
       std::map<std::string, std::vector<std::pair<std::string, at::Tensor>>>{
           {"other_shape", {{"w", at::ones(2)}}}, {"lacks", {}}}) {
    fs::create_directories(directory / name);
    save_safetensors(directory / (name + "/model.safetensors"), tensors);
    EXPECT_THAT(message_of<CheckpointError>([&, other = name] {
                  average_weights({directory / "a", directory / other});
                }),
                HasSubstr(name + "/model.safetensors"));
  }
}

class AverageCommand : public ::testing::Test {
 protected:
  int run(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--output", directory_ / "mean"});
    return tools::run_average(arguments);
  }
  TestDirectory directory_;
};

TEST_F(AverageCommand, WritesAModelDirectory) {
  write_model(directory_ / "a", 1);
  write_model(directory_ / "b", 2);
  EXPECT_EQ(run({"--inputs", directory_ / "a", directory_ / "b"}), 0);
  EXPECT_EQ(first_weight(directory_ / "mean"), 1.5);
  EXPECT_EQ(read_file(directory_ / "mean/tokenizer.model"), "pieces");
  EXPECT_EQ(read_file(directory_ / "mean/config.json"), "{\"d\":1}");
  EXPECT_FALSE(fs::exists(directory_ / "mean/training.json"));
  EXPECT_EQ(manifest_problem(directory_ / "mean"), "");
  EXPECT_THROW(run({"--inputs", directory_ / "a"}), ConfigError);  // mean exists
}

TEST_F(AverageCommand, TakesTheLastOrBestOfATraining) {
  {
    storage::CheckpointStore store(directory_ / "run",
                                   {.keep_last = 4, .metric = "bleu", .higher_is_better = true});
    for (const auto& [update, bleu] : std::map<int, double>{{1, 9}, {2, 8}, {3, 1}, {4, 2}}) {
      store.save(update, {{"bleu", bleu}},
                 [&, value = update](const fs::path& path) { write_model(path, value); });
    }
  }
  EXPECT_EQ(run({"--inputs", directory_ / "run", "--last", "2"}), 0);
  EXPECT_EQ(first_weight(directory_ / "mean"), 3.5);
  EXPECT_FALSE(fs::exists(directory_ / "mean/checkpoint.json"));
  fs::remove_all(directory_ / "mean");
  EXPECT_EQ(run({"--inputs", directory_ / "run", "--best", "2"}), 0);
  EXPECT_EQ(first_weight(directory_ / "mean"), 1.5);
}

TEST_F(AverageCommand, RefusesModelsThatDiffer) {
  write_model(directory_ / "a", 1, R"({"width": 128, "heads": {"encoder": 4}})");
  write_model(directory_ / "b", 1, R"({"width": 256, "heads": {"encoder": 8}})");
  EXPECT_THAT(message_of<ConfigError>([&] {
                run({"--inputs", directory_ / "a", directory_ / "b"});
              }),
              ::testing::AllOf(HasSubstr("width"), HasSubstr("heads/encoder")));
  write_model(directory_ / "b", 1, R"({"heads": {"encoder": 4}, "width": 128})");
  write_text(directory_ / "b/tokenizer.model", "others");
  EXPECT_THAT(message_of<ConfigError>([&] {
                run({"--inputs", directory_ / "a", directory_ / "b"});
              }),
              HasSubstr("tokenizer.model"));
  EXPECT_FALSE(fs::exists(directory_ / "mean"));
}

TEST_F(AverageCommand, RefusesContradictoryOptions) {
  EXPECT_THROW(run({}), ConfigError);
  EXPECT_THROW(run({"--inputs", "a", "--last", "2", "--best", "2"}), ConfigError);
  EXPECT_THROW(run({"--inputs", "a", "b", "--last", "2"}), ConfigError);
}

}  // namespace
}  // namespace dietmt::encoders
