#include "tools/training_process.h"

#include <ATen/ATen.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "common/error.h"
#include "common/files.h"
#include "common/process_error.h"
#include "encoders/device/device.h"
#include "training/distributed/process_launcher.h"

namespace dietmt::tools {
namespace fs = std::filesystem;
namespace {

using training::ProcessGroup;
using training::ProcessPlace;

// `cuda` is the GPU of the process's place on its machine.
std::string device_name(const std::string& name, const ProcessPlace& place) {
  if (place.processes == 1 || !name.starts_with("cuda")) return name;
  if (name != "cuda")
    throw ConfigError("--device " + name + " is one GPU for several processes; give cuda");
  if (!place.local_rank)
    throw ConfigError("the environment variable LOCAL_RANK, which chooses the GPU, is not set");
  return "cuda:" + std::to_string(*place.local_rank);
}

// What only tries a training of several processes has the threads of one of them.
int64_t threads_of(const TrainingOptions& o, const ProcessPlace& place) {
  if (o.threads > 0) return o.threads;
  const int64_t cores = std::max(1U, std::thread::hardware_concurrency());
  const int64_t sharing = place.processes > 1 ? place.local_processes : o.processes;
  return std::max<int64_t>(1, cores / sharing);
}

// Options that may be others in each process.
constexpr const char* kOfEachProcess[] = {"output",  "threads",   "device",
                                          "profile", "processes", "log-interval"};

// Processes with other options would train on other batches, or wait for ever for one that has
// fewer updates.
void require_same_options(const OptionTable& table, ProcessGroup& group) {
  training::Configuration own = joined_options(table);
  for (const char* name : kOfEachProcess) own.erase(name);
  const training::Configuration first =
      nlohmann::json::parse(group.broadcast(nlohmann::json(own).dump()));
  std::vector<std::string> differences = training::configuration_differences(first, own);
  const at::Tensor others = at::tensor(differences.empty() ? 0.0F : 1.0F);
  group.sum(others);
  const auto count = others.item<int64_t>();
  if (count == 0) return;
  if (group.is_first()) {
    throw ConfigError(std::to_string(count) + " of " + std::to_string(group.processes()) +
                      " processes have been started with other options than the first one; they "
                      "say which");
  }
  if (differences.empty()) throw FirstProcessFailed();
  differences.insert(differences.begin(), "process " + std::to_string(group.rank()) +
                                              " (was: in the first one, is: in this one):");
  throw ConfigError(differences);
}

void require_files(const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    if (!fs::is_regular_file(input))
      throw ConfigError(input + ": several processes have to read it, and it is not a file");
  }
}

// Files on other machines may appear a little later.
bool appears(const fs::path& file) {
  constexpr int kTries = 50;
  for (int i = 0; i < kTries && !fs::exists(file); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  return fs::exists(file);
}

void require_shared(const fs::path& folder, const fs::path& output, ProcessGroup& group) {
  std::string name = ".shared-" + std::to_string(::getpid()) + "-" +
                     std::to_string(std::chrono::system_clock::now().time_since_epoch().count());
  name = group.broadcast(name);
  if (group.is_first()) write_file_atomically(folder / name, "");
  group.barrier();
  const at::Tensor missing = at::tensor(appears(folder / name) ? 0.0F : 1.0F);
  group.sum(missing);
  if (group.is_first()) fs::remove(folder / name);
  const auto blind = missing.item<int64_t>();
  if (blind == 0) return;
  if (!group.is_first()) throw FirstProcessFailed();
  throw Error(output.string() + ": " + std::to_string(blind) + " of " +
              std::to_string(group.processes()) +
              " processes do not see what the first one writes there; give an --output directory "
              "that all machines share");
}

}  // namespace

std::optional<int> run_in_processes(const TrainingOptions& o,
                                    const std::vector<std::string>& inputs,
                                    std::vector<std::string> command,
                                    const std::vector<std::string>& arguments) {
  if (o.processes == 1 || std::getenv(training::kLaunchedVariable) != nullptr) return std::nullopt;
  const ProcessPlace place = training::process_place();
  if (place.processes > 1) {
    throw ConfigError(
        "--processes starts processes, but a launcher has started this one as one of " +
        std::to_string(place.processes) + "; leave it out");
  }
  training::require_batches_for(o.processes, o.trainer.accumulate);
  require_files(inputs);
  command.insert(command.end(), arguments.begin(), arguments.end());
  return training::run_processes(o.processes, command);
}

TrainingProcess join_training(const OptionTable& table, const TrainingOptions& o,
                              const fs::path& output, const std::vector<std::string>& inputs) {
  const ProcessPlace place = training::process_place();
  training::require_batches_for(place.processes, o.trainer.accumulate);
  if (place.processes > 1) require_files(inputs);
  TrainingProcess process;
  process.device = encoders::parse_device(device_name(o.device, place));
  process.threads = encoders::set_threads(threads_of(o, place));
  const fs::path folder = output / "data";
  if (place.processes > 1) {
    if (place.rank > 0) spdlog::set_level(spdlog::level::warn);
    process.share = {place.rank, place.processes, o.trainer.accumulate};
    process.group = std::make_unique<ProcessGroup>(place, process.device);
    spdlog::info("{} processes, each with {} threads", place.processes, process.threads);
    require_same_options(table, *process.group);
  }
  training::FirstTurn turn(process.group.get());
  if (process.is_first()) process.lock = std::make_unique<storage::OutputLock>(output);
  turn.done();
  fs::create_directories(folder);
  if (process.group) require_shared(folder, output, *process.group);
  return process;
}

void require_one_process(const std::string& command) {
  const ProcessPlace place = training::process_place();
  if (place.processes == 1) return;
  throw ConfigError(command + " trains in one process, and a launcher has started " +
                    std::to_string(place.processes));
}

}  // namespace dietmt::tools
