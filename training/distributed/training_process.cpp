#include "training/distributed/training_process.h"

#include <ATen/ATen.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "common/error.h"
#include "common/exit_kinds.h"
#include "common/files.h"
#include "common/logging.h"
#include "common/process.h"
#include "encoders/device/device.h"
#include "training/distributed/process_launcher.h"
#include "training/processes/process_place.h"

namespace dietmt::training {
namespace fs = std::filesystem;
namespace {

std::string device_name(const std::string& name, const ProcessPlace& place) {
  if (place.processes == 1 || !name.starts_with("cuda")) return name;
  if (name != "cuda") {
    throw ConfigError("--device " + name +
                      " is one GPU for several processes; use --device cuda, which gives each "
                      "process its own");
  }
  if (!place.local_rank) {
    throw ConfigError(
        "--device cuda needs the environment variable LOCAL_RANK, which chooses the GPU of each "
        "process");
  }
  // Launchers may show each process only its own GPU.
  if (encoders::visible_gpus() == 1) return "cuda:0";
  return "cuda:" + std::to_string(*place.local_rank);
}

// A dry run of several processes uses the threads of one of them.
int64_t threads_of(const ProcessOptions& o, const ProcessPlace& place) {
  if (o.threads > 0) return o.threads;
  const int64_t sharing = place.processes > 1 ? place.local_processes : o.processes;
  return std::max<int64_t>(1, usable_cores() / sharing);
}

// Processes with other options would train on different batches, or wait forever for one that has
// fewer updates.
void require_same_configuration(const Configuration& own, ProcessGroup& group) {
  const Configuration first = nlohmann::json::parse(group.broadcast(nlohmann::json(own).dump()));
  std::vector<std::string> differences = configuration_differences(first, own);
  const at::Tensor others = at::tensor(differences.empty() ? 0.0F : 1.0F);
  group.sum(others);
  const auto count = others.item<int64_t>();
  if (count == 0) return;
  if (group.is_first()) {
    throw ConfigError(std::to_string(count) + " of " + std::to_string(group.processes()) +
                      " processes were started with other options than the first one; their "
                      "messages list them");
  }
  if (differences.empty()) throw FirstProcessFailed();
  differences.insert(differences.begin(), "process " + std::to_string(group.rank()) +
                                              " (was: in the first one, is: in this one):");
  throw ConfigError(joined_lines(differences));
}

void require_files(const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    if (!fs::is_regular_file(input))
      throw ConfigError(input + " is not a regular file, and several processes must read it");
  }
}

// Files written on another machine may appear a little later.
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
              " processes do not see what the first one writes there; --output must be a directory "
              "that all machines share");
}

}  // namespace

void require_batches_for(int64_t processes, int64_t accumulate) {
  if (processes <= accumulate) return;
  throw ConfigError("--accumulate " + std::to_string(accumulate) +
                    " gives fewer batches than the " + std::to_string(processes) +
                    " processes need; give a multiple of " + std::to_string(processes) +
                    ", or fewer processes");
}

std::optional<int> run_in_processes(const ProcessOptions& o,
                                    const std::vector<std::string>& words) {
  if (o.processes == 1 || std::getenv(kLaunchedVariable) != nullptr) return std::nullopt;
  const ProcessPlace place = process_place();
  if (place.processes > 1) {
    throw ConfigError("--processes starts processes, but a launcher has already started " +
                      std::to_string(place.processes) + "; leave it out");
  }
  require_batches_for(o.processes, o.accumulate);
  require_files(o.inputs);
  return run_processes(o.processes, words);
}

TrainingProcess join_training(const ProcessOptions& o) {
  const ProcessPlace place = process_place();
  require_batches_for(place.processes, o.accumulate);
  if (place.processes > 1) require_files(o.inputs);
  TrainingProcess process;
  std::string problem;
  try {
    process.device = encoders::parse_device(device_name(o.device, place));
  } catch (const ConfigError& error) {
    if (place.processes == 1) throw;
    problem = error.what();  // the others wait to hear it
  }
  encoders::make_current(process.device);
  process.threads = encoders::set_threads(threads_of(o, place));
  const fs::path folder = o.output / "data";
  if (place.processes > 1) {
    if (place.rank > 0) spdlog::set_level(spdlog::level::warn);
    std::signal(SIGPIPE, SIG_IGN);  // Gloo writes to the sockets of lost processes
    process.share = {place.rank, place.processes, o.accumulate};
    process.group = std::make_unique<ProcessGroup>(place, process.device, problem);
    spdlog::info("{} processes, each with {} threads", place.processes, process.threads);
    require_same_configuration(o.configuration, *process.group);
  }
  RankZeroFirst turn(process.group.get());
  if (process.is_first()) process.lock = std::make_unique<storage::OutputLock>(o.output);
  turn.done();
  fs::create_directories(folder);
  if (process.group) require_shared(folder, o.output, *process.group);
  return process;
}

void require_one_process(const std::string& command) {
  const ProcessPlace place = process_place();
  if (place.processes == 1) return;
  throw ConfigError(command + " trains in one process, but a launcher has started " +
                    std::to_string(place.processes));
}

}  // namespace dietmt::training
