// dietmt average: the mean of several models' weights as a new model directory.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "common/error.h"
#include "common/files.h"
#include "common/json_file.h"
#include "common/options.h"
#include "encoders/weights/checkpoint_average.h"
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

  std::vector<std::string> problems() const {
    std::vector<std::string> found;
    if (inputs.empty()) found.push_back("--inputs is missing");
    if (output.empty()) found.push_back("--output is missing");
    if (last < 0 || best < 0) found.push_back("--last and --best take a number above 0");
    if (last > 0 && best > 0) found.push_back("--last and --best exclude each other");
    if ((last > 0 || best > 0) && inputs.size() > 1) {
      found.push_back("--last and --best take one training directory as --inputs");
    }
    if (!output.empty() && fs::exists(output)) {
      found.push_back("--output " + output + ": exists already");
    }
    return found;
  }
};

// The checkpoints of one training directory that --last or --best asks for.
std::vector<fs::path> chosen_checkpoints(const AverageOptions& options) {
  const std::string& run = options.inputs.front();
  std::vector<storage::Checkpoint> found = storage::whole_checkpoints(run);
  if (found.empty()) throw CheckpointError(run + ": holds no checkpoint");
  const auto wanted = std::max(options.last, options.best);
  if (options.best > 0) {
    found = storage::best_of(found, storage::stored_policy(found.back()), wanted);
  } else if (std::ssize(found) > wanted) {
    found.erase(found.begin(), found.end() - wanted);
  }
  if (std::ssize(found) < wanted) {
    spdlog::warn("{}: {} checkpoints were asked for, {} are there", run, wanted, found.size());
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

// What makes the model besides its weights: the configuration and tokenizers.
std::vector<fs::path> model_files(const fs::path& directory) {
  static const std::set<std::string> kOthers{"model.safetensors", "training.safetensors",
                                             "training.json", "checkpoint.json", "manifest.json"};
  std::vector<fs::path> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
    const fs::path name = entry.path().filename();
    if (entry.is_regular_file() && !kOthers.contains(name.string())) names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

// The settings by name in which two configurations differ.
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
                      ": has packed weights; average the models that such are made from");
}

void require_same_model(const fs::path& first, const fs::path& second) {
  const std::string differing =
      differences(read_json(first / "config.json"), read_json(second / "config.json"));
  if (!differing.empty()) {
    throw ConfigError(second.string() + ": its configuration differs from that of " +
                      first.string() + " in " + differing);
  }
  for (const fs::path& name : model_files(first)) {
    if (name == "config.json") continue;
    if (!fs::exists(second / name) || file_crc32(first / name) != file_crc32(second / name)) {
      throw ConfigError((second / name).string() + ": is not the same file as " +
                        (first / name).string());
    }
  }
}

}  // namespace

int run_average(const std::vector<std::string>& arguments) {
  AverageOptions options;
  OptionTable table("average", "--inputs DIR... --output DIR",
                    "Averages the weights of models of one configuration, usually the last or best "
                    "checkpoints of a training, into a new model directory.");
  table.group("Models")
      .add("inputs", &options.inputs, "DIR...",
           "model directories, or training directories (their best checkpoint each)")
      .add("output", &options.output, "DIR", "the new model directory")
      .add("last", &options.last, "N",
           "instead: the N last checkpoints of one training directory; 0: off")
      .add("best", &options.best, "N",
           "instead: the N best checkpoints of one training directory; 0: off");
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  throw_if_any(options.problems());

  const std::vector<fs::path> directories = input_directories(options);
  for (const fs::path& directory : directories) {
    require_full_weights(directory);
    require_same_model(directories.front(), directory);
  }
  const std::map<std::string, at::Tensor> weights = encoders::average_weights(directories);

  AtomicDirectory output(options.output);
  for (const fs::path& name : model_files(directories.front())) {
    fs::copy_file(directories.front() / name, output.path() / name);
  }
  encoders::save_safetensors(output.path() / "model.safetensors", {weights.begin(), weights.end()});
  output.commit();
  for (const fs::path& directory : directories) spdlog::info("averaged {}", directory.string());
  spdlog::info("wrote {}: the mean of {} models", options.output, directories.size());
  return 0;
}

}  // namespace dietmt::tools
