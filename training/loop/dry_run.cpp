#include "training/loop/dry_run.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <torch/nn/module.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>

#include "common/error.h"
#include "common/memory_use.h"
#include "common/process.h"
#include "encoders/device/device_graphs.h"
#include "encoders/device/device_memory.h"
#include "reporting/progress_bar.h"
#include "training/optimization/low_rank_training.h"

namespace dietmt::training {
namespace {

constexpr int64_t kSmallestBatch = 256;
constexpr int64_t kLargestBatch = 65'536;  // beyond this, memory is not what limits a batch
constexpr int64_t kTriedBatches = 2;

double bytes_of(const NamedTensors& tensors) {
  double sum = 0.0;
  for (const auto& [name, tensor] : tensors) sum += static_cast<double>(tensor.nbytes());
  return sum;
}

// Bytes of the optimiser's moments, which the processes share, and of the moving average.
// `low_rank`: what is trained instead of the weights, or null.
int64_t bytes_beside_weights(const torch::nn::Module& model, const LowRankTraining* low_rank,
                             const TrainerOptions& options, int64_t processes) {
  double all = 0.0, trained = low_rank == nullptr ? 0.0 : bytes_of(low_rank->parameters());
  for (const at::Tensor& parameter : model.parameters()) {
    const auto bytes = static_cast<double>(parameter.nbytes());
    all += bytes;
    if (low_rank == nullptr && parameter.requires_grad()) trained += bytes;
  }
  const double average = options.ema_decay > 0.0 ? all : 0.0;
  return static_cast<int64_t>(
      options.optimizer.moments() * trained / static_cast<double>(processes) + average);
}

double seconds_between(std::chrono::steady_clock::time_point start,
                       std::chrono::steady_clock::time_point end) {
  return std::chrono::duration<double>(end - start).count();
}

}  // namespace

void MemoryLine::add(int64_t tokens, int64_t bytes) {
  if (tokens > last_.tokens) before_ = last_;
  last_ = {tokens, bytes};
}

int64_t MemoryLine::predict(int64_t tokens) const {
  if (before_.tokens == 0) return last_.bytes;
  const auto slope = static_cast<double>(last_.bytes - before_.bytes) /
                     static_cast<double>(last_.tokens - before_.tokens);
  return last_.bytes + static_cast<int64_t>(slope * static_cast<double>(tokens - last_.tokens));
}

int64_t largest_fitting(int64_t smallest, int64_t largest,
                        const std::function<bool(int64_t)>& fits) {
  if (!fits(smallest)) return 0;
  int64_t good = smallest;
  int64_t bad = 0;  // none yet
  while (bad == 0 && good < largest) {
    const int64_t next = std::min(2 * good, largest);
    (fits(next) ? good : bad) = next;
  }
  for (int halving = 0; bad != 0 && halving < 3; ++halving) {
    const int64_t middle = (good + bad) / 2;
    (fits(middle) ? good : bad) = middle;
  }
  return good;
}

DryRun dry_run(TrainingTask& task, int64_t batches, const TrainerOptions& options,
               int64_t processes, bool validates) {
  using Clock = std::chrono::steady_clock;
  const at::Device device = device_of(task.model());
  DryRun done;
  done.has_graphs = encoders::graphs_of(device) != nullptr;
  // In a few batches, chance would decide how many are recorded.
  const encoders::WithoutGraphs without_graphs;
  encoders::reset_peak_memory(device);
  std::optional<LowRankTraining> low_rank;
  if (options.low_rank.rank > 0) low_rank.emplace(task.model(), options.low_rank, options.seed);
  int64_t tokens = 0;
  double seconds_of_token = 0.0;  // of the fastest batch
  Clock::time_point start = Clock::now(), second = start;
  for (int64_t batch = 0; batch < batches; ++batch) {
    throw_if_stop_requested();
    if (batch == 1) {
      encoders::wait_for(device);
      second = Clock::now();
    }
    const Clock::time_point begin = Clock::now();
    encoders::DropoutKeys dropout(random_key(options.seed, static_cast<uint64_t>(batch)));
    int64_t of_batch = 0;
    encoders::within_memory_of(device,
                               [&] { of_batch = task.accumulate_gradients(dropout).tokens; });
    tokens += of_batch;
    if (low_rank) low_rank->take_gradients();
    const double took = seconds_between(begin, Clock::now());
    const double of_token = took / static_cast<double>(std::max<int64_t>(1, of_batch));
    seconds_of_token = batch == 0 ? of_token : std::min(seconds_of_token, of_token);
  }
  done.tokens = static_cast<double>(tokens) / static_cast<double>(batches);
  done.seconds = seconds_of_token * done.tokens;
  if (!device.is_cpu()) {  // batches end later than the calls
    encoders::wait_for(device);
    done.seconds = seconds_between(batches > 1 ? second : start, Clock::now()) /
                   static_cast<double>(std::max<int64_t>(1, batches - 1));
  }
  done.batches_per_epoch = static_cast<double>(batches) / task.epoch();
  if (validates) task.try_validation();  // while there are gradients, as in training
  done.peak_memory =
      encoders::peak_memory(device) +
      bytes_beside_weights(task.model(), low_rank ? &*low_rank : nullptr, options, processes);
  for (at::Tensor& parameter : task.model().parameters()) parameter.mutable_grad().reset();
  return done;
}

std::string dry_run_text(const DryRun& tried, int64_t parameters, const TrainerOptions& options,
                         int64_t processes) {
  const auto accumulate = static_cast<double>(options.accumulate);
  const double updates_per_epoch = tried.batches_per_epoch / accumulate;
  // Batches of the process with the most.
  const double seconds = tried.seconds * std::ceil(accumulate / static_cast<double>(processes));
  double updates = static_cast<double>(options.max_updates);
  if (options.max_epochs > 0)
    updates =
        std::min(updates, std::ceil(static_cast<double>(options.max_epochs) * updates_per_epoch));
  return fmt::format(
      "parameters  {}\n"
      "memory      {:.0f} MB{}, with validation{}\n"
      "batches     {:.0f} an epoch, {:.0f} tokens each\n"
      "updates     {:.1f} an epoch, {:.0f} in {:.1f} epochs\n"
      "time        {:.3g} s an update, {:.0f} tokens/s; {} for all, without validation\n",
      parameters, static_cast<double>(tried.peak_memory) / 1e6, processes > 1 ? " a process" : "",
      tried.has_graphs ? " and graphs (--cuda-graphs)" : "", tried.batches_per_epoch, tried.tokens,
      updates_per_epoch, updates, updates / updates_per_epoch, seconds,
      tried.tokens * accumulate / seconds, reporting::duration_text(seconds * updates));
}

int64_t find_batch(const TaskOfBatches& make_task, bool on_cpu, const TrainerOptions& options,
                   int64_t processes) {
  const int64_t limit = on_cpu ? (resident_memory() + available_memory() / 10 * 9) / processes : 0;
  MemoryLine memory;
  int64_t whole_text = std::numeric_limits<int64_t>::max();  // a batch that holds it
  return largest_fitting(kSmallestBatch, kLargestBatch, [&](int64_t batch_tokens) {
    if (batch_tokens > whole_text) return false;
    if (on_cpu && memory.predict(batch_tokens) > limit) return false;
    try {
      const DryRun tried = dry_run(*make_task(batch_tokens), kTriedBatches, options, processes,
                                   /*validates=*/false);
      spdlog::info("--batch-tokens {}: {:.0f} MB, {:.0f} tokens/s", batch_tokens,
                   static_cast<double>(tried.peak_memory) / 1e6, tried.tokens / tried.seconds);
      memory.add(batch_tokens, tried.peak_memory);
      if (tried.batches_per_epoch <= 1.0) {
        spdlog::info("--batch-tokens {} holds the whole training text", batch_tokens);
        whole_text = batch_tokens;
      }
      return !on_cpu || tried.peak_memory <= limit;
    } catch (const MemoryError&) {
      spdlog::info("--batch-tokens {} does not fit", batch_tokens);
      return false;
    }
  });
}

}  // namespace dietmt::training
