// dietmt average: the mean of several models' weights as a new model directory.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "common/atomic_file.h"
#include "common/error.h"
#include "common/files.h"
#include "common/json_fields.h"
#include "common/options.h"
#include "encoders/weights/adapter_layers.h"
#include "encoders/weights/safetensors.h"
#include "storage/checkpoint.h"
#include "tools/commands.h"

namespace dietmt::tools {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

struct AverageOptions {
  std::vector<std::string> inputs;
  std::string output;
  int64_t last = 0;
  int64_t best = 0;
};

OptionTable option_table(AverageOptions& o) {
  OptionTable table("average", "[--inputs] DIR... --output DIR",
                    "Averages the weights of models with the same configuration, usually the last "
                    "or best checkpoints of a training run, into a new model directory.");
  table.group("Models")
      .add("inputs", &o.inputs, "DIR...",
           "model directories, or output directories of train (the best checkpoint of each)",
           {.required = true})
      .add("output", &o.output, "DIR", "model directory to write",
           {.required = true, .is_new = true})
      .add("last", &o.last, "N", "average the last N checkpoints of one training run; 0: off",
           {.least = 0})
      .add("best", &o.best, "N", "average the best N checkpoints of one training run; 0: off",
           {.least = 0});
  table.positional("inputs").example("dietmt average model --last 5 --output averaged");
  return table;
}

std::vector<std::string> problems_of(const AverageOptions& o) {
  std::vector<std::string> problems;
  if (o.last > 0 && o.best > 0)
    problems.emplace_back("--last and --best cannot be combined: give one of them");
  if ((o.last > 0 || o.best > 0) && o.inputs.size() > 1)
    problems.emplace_back("--inputs must be one training directory with --last or --best");
  return problems;
}

// The checkpoints of one training directory for --last or --best.
std::vector<fs::path> chosen_checkpoints(const AverageOptions& options) {
  const std::string& run = options.inputs.front();
  std::vector<storage::Checkpoint> found = storage::whole_checkpoints(run);
  if (found.empty()) throw CheckpointError(run + ": has no checkpoint");
  const auto wanted = std::max(options.last, options.best);
  if (options.best > 0) {
    found = storage::best_of(found, storage::stored_policy(found.back()), wanted);
  } else if (std::ssize(found) > wanted) {
    found.erase(found.begin(), found.end() - wanted);
  }
  if (std::ssize(found) < wanted) {
    spdlog::warn(
        "{}: averaging {} of {} checkpoints: the run kept no more; train with a "
        "larger --{} and a smaller --save-interval",
        run, found.size(), wanted, options.best > 0 ? "keep-best" : "keep-last");
  }
  std::vector<fs::path> directories;
  for (const storage::Checkpoint& checkpoint : found) directories.push_back(checkpoint.directory);
  return directories;
}

std::vector<fs::path> input_directories(const AverageOptions& options) {
  if (options.last > 0 || options.best > 0) return chosen_checkpoints(options);
  std::vector<fs::path> directories;
  for (const std::string& input : options.inputs) {
    directories.push_back(storage::resolve_model_directory(input));
  }
  return directories;
}

// The files of a model besides its weights: configuration and tokenizers.
std::vector<fs::path> model_files(const fs::path& directory) {
  static const std::set<std::string> kNames{"config.json", "task.json", "vocab.txt",
                                            "tokenizer_config.json", "sentencepiece.bpe.model"};
  std::vector<fs::path> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    if (kNames.contains(name) || name.ends_with("tokenizer.model")) names.emplace_back(name);
  }
  std::ranges::sort(names);
  return names;
}

// The names of the settings in which two configurations differ.
std::string differences(const json& first, const json& second) {
  std::string names;
  for (const json& change : json::diff(first, second)) {
    const std::string name = change.at("path").get<std::string>().substr(1);
    names += (names.empty() ? "" : ", ") + name;
  }
  return names;
}

void require_full_weights(const fs::path& directory) {
  if (read_json(directory / "config.json").contains("quantization"))
    throw ConfigError(directory.string() +
                      ": has packed weights; average the models that it was quantized from");
}

void require_same_model(const fs::path& first, const fs::path& second) {
  const std::string differing =
      differences(read_json(first / "config.json"), read_json(second / "config.json"));
  if (!differing.empty()) {
    throw ConfigError(second.string() + ": the configuration differs from " + first.string() +
                      " in " + differing);
  }
  for (const fs::path& name : model_files(first)) {
    if (name == "config.json") continue;
    if (!fs::exists(second / name))
      throw ConfigError((second / name).string() + ": is missing, but " + (first / name).string() +
                        " exists");
    if (file_crc32(first / name) != file_crc32(second / name))
      throw ConfigError((second / name).string() + ": differs from " + (first / name).string());
  }
}

}  // namespace

int run_average(const std::vector<std::string>& arguments) {
  AverageOptions options;
  OptionTable table = option_table(options);
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  table.check(problems_of(options));

  const std::vector<fs::path> directories = input_directories(options);
  for (const fs::path& directory : directories) {
    require_full_weights(directory);
    require_same_model(directories.front(), directory);
  }
  const std::map<std::string, at::Tensor> weights = encoders::average_weights(directories);

  AtomicDirectory output(options.output);
  for (const fs::path& name : model_files(directories.front())) {
    require_intact(directories.front() / name);
    fs::copy_file(directories.front() / name, output.path() / name);
  }
  encoders::save_safetensors(output.path() / "model.safetensors", {weights.begin(), weights.end()});
  if (fs::exists(directories.front() / encoders::kAdapterLayersFile))
    encoders::save_adapter_layers(output.path() / encoders::kAdapterLayersFile, weights);
  output.commit();
  for (const fs::path& directory : directories) spdlog::info("averaged {}", directory.string());
  const size_t models = directories.size();
  spdlog::info("wrote {}: the mean of {} {}", options.output, models,
               models == 1 ? "model" : "models");
  return 0;
}

}  // namespace dietmt::tools
