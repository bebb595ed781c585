#include "training/loop/trainer.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "common/error.h"
#include "common/exit_kinds.h"
#include "common/process.h"
#include "encoders/device/device_memory.h"
#include "encoders/ops/scopes.h"
#include "storage/checkpoint.h"
#include "training/distributed/data_parallel.h"
#include "training/distributed/training_process.h"
#include "training/loop/run_record.h"
#include "training/loop/step_profile.h"
#include "training/loop/training_state.h"
#include "training/loop/update_log.h"

namespace dietmt::training {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

bool higher_is_better(const std::string& score) { return !score.ends_with("loss"); }

class Loop {
 public:
  Loop(TrainingTask& task, const TrainerOptions& options, const Configuration& configuration,
       bool resume, ProcessGroup* group)
      : task_(task),
        options_(options),
        configuration_(configuration),
        device_(device_of(task.model())),
        group_(group),
        parallel_(group == nullptr
                      ? nullptr
                      : std::make_unique<DataParallel>(
                            task.model(), *group, options.accumulate,
                            options.gradient_type == "bf16" ? at::kBFloat16 : at::kFloat)),
        low_rank_(options.low_rank.rank == 0 ? nullptr
                                             : std::make_unique<LowRankTraining>(
                                                   task.model(), options.low_rank,
                                                   random_key(options.seed, kLowRankStream))),
        optimizer_(low_rank_ ? Optimizer(low_rank_->parameters(), options.optimizer)
                             : Optimizer(task.model(), options.optimizer,
                                         parallel_ ? parallel_->slices() : std::vector<Slice>())) {
    RankZeroFirst turn(group_);  // only the first process reports a bad directory
    if (is_first(group_)) {
      if (options.ema_decay > 0.0) ema_.emplace(task.model(), options.ema_decay);
      const storage::CheckpointPolicy policy = {options.keep_last, options.keep_best,
                                                options.valid_metric,
                                                higher_is_better(options.valid_metric)};
      if (resume) resumed_ = storage::newest_checkpoint(options.output);
      store_.emplace(options.output, policy);
      if (!resume) store_->clear();
    }
    turn.done();
  }

  TrainingEnd run() {
    const encoders::SubnormalsAsZeros zeros;
    start();
    int64_t saved_update = state_.update;
    bool stop = false;
    const bool traces = options_.profile && is_first(group_);
    StepProfile profile(traces && !finished() ? options_.output / "trace.json" : fs::path());
    while (!stop && !finished()) {
      profile.next_update();
      step();
      const bool due = validation_is_due();
      const bool validated = due || finished();
      const bool saved = validated || save_is_due();
      if (saved) catch_up();
      if (validated) validate();
      if (due) count_gain();
      stop = stop_is_asked();
      if (stop && !saved) catch_up();
      // A score belongs to the weights it was measured with, so validated weights are saved.
      if (saved || stop) {
        save(/*by_stop=*/!saved);
        saved_update = state_.update;
      }
    }
    if (saved_update != state_.update) {
      catch_up();
      save();
    }
    if (group_ != nullptr) group_->finish();  // no one exits while the first still writes
    return end();
  }

 private:
  void start() {
    // The name only: processes may reach --output by different paths.
    std::string name = resumed_.value_or(storage::Checkpoint()).directory.filename().string();
    if (group_ != nullptr) name = group_->broadcast(name);
    if (!name.empty()) restore(options_.output / storage::kCheckpointFolder / name);
    note_threads();
    if (parallel_) parallel_->copy_weights_of_first();
    start_record();
    log_.emplace(state_.divergence, options_.clip_norm, record_ ? &*record_ : nullptr);
  }

  void start_record() {
    if (!is_first(group_)) return;
    if (finished()) {
      spdlog::info("training is already complete: update {}, epoch {:.2f}", state_.update,
                   task_.epoch());
      report_early_stop();
      return;
    }
    RunFacts facts{.data = task_.training_data()};
    for (const at::Tensor& parameter : task_.model().parameters())
      facts.parameters += parameter.numel();
    record_.emplace(options_, configuration_, state_, facts);
  }

  TrainingEnd end() {
    if (record_) {
      record_->finish();
      report_early_stop();
    }
    if (finished()) return TrainingEnd::kFinished;
    spdlog::info("{} at update {}; the same command continues from there", stop_reason(),
                 state_.update);
    return TrainingEnd::kStopped;
  }

  bool validation_is_due() const {
    if (options_.epoch_batches == 0) return state_.update % options_.valid_interval == 0;
    const int64_t batches = state_.update * options_.accumulate;
    return batches / options_.epoch_batches >
           (batches - options_.accumulate) / options_.epoch_batches;
  }

  bool save_is_due() const {
    return options_.save_interval > 0 && state_.update % options_.save_interval == 0;
  }

  bool finished() const {
    return state_.update >= options_.max_updates ||
           (options_.max_epochs > 0 && task_.epoch() >= static_cast<double>(options_.max_epochs)) ||
           is_out_of_patience();
  }

  bool is_out_of_patience() const {
    return options_.patience > 0 && state_.validations_without_gain >= options_.patience;
  }

  void report_early_stop() const {
    if (!is_out_of_patience()) return;
    spdlog::info(
        "early stop at update {}: {} has not improved in the last {} validations "
        "(--patience {})",
        state_.update, options_.valid_metric, state_.validations_without_gain, options_.patience);
  }

  // Parallel fp32 sums depend on the number of threads.
  void note_threads() {
    const int64_t threads = device_.is_cpu() ? at::get_num_threads() : 0;
    if (is_first(group_) && threads > 0 && state_.threads > 0 && threads != state_.threads) {
      spdlog::warn(
          "this run had {} threads and now has {}, which rounds sums differently: give "
          "--threads {} for the weights of an uninterrupted run",
          state_.threads, threads, state_.threads);
    }
    state_.threads = threads;
  }

  // All processes agree, so that they stop after the same update.
  bool stop_is_asked() const { return parallel_ ? agreed_to_stop_ : stop_requested(); }

  void step() {
    const Clock::time_point start = Clock::now();
    optimizer_.zero_gradients();
    UpdateSums sums = add_gradients();
    if (parallel_) {
      sums.stop = stop_requested();
      sums = parallel_->sum(sums);
      agreed_to_stop_ = sums.stop;
    } else {
      if (low_rank_) low_rank_->take_gradients();
      sums.gradient_norm = optimizer_.gradient_norm();
    }
    // Without targets, all gradients are zero.
    const double scale = sums.targets > 0.0 ? 1.0 / sums.targets : 1.0;
    const at::Tensor norm =
        optimizer_.scale_and_clip(scale, options_.clip_norm, sums.gradient_norm);
    fail_together([&] { log_->computed(state_.update + 1, sums, norm); });
    const double rate = rate_of_update(options_.schedule, state_.update + 1);
    optimizer_.step(rate);
    if (low_rank_) low_rank_->merge();
    if (parallel_) parallel_->share_weights();
    ++state_.update;
    if (ema_) ema_->update(state_.update);
    log_->stepped({.update = state_.update,
                   .epoch = task_.epoch(),
                   .tokens = static_cast<int64_t>(sums.tokens),
                   .seconds = seconds_since(start),
                   .learning_rate = rate,
                   .peak_memory = encoders::peak_memory(device_)});
  }

  // Called before weights are used or saved, so that those of a diverged update never are.
  void catch_up() {
    fail_together([&] { log_->catch_up(); });
  }

  // Sums over this process's batches of an update.
  UpdateSums add_gradients() {
    UpdateSums sums;
    for (int64_t micro = 0; micro < options_.accumulate; ++micro) {
      if (parallel_ && !parallel_->owns(micro)) {
        task_.skip_batch();
        continue;
      }
      if (parallel_ && parallel_->is_last(micro))
        parallel_->send_gradients(task_.replays_passes() ? Sending::kAfterwards
                                                         : Sending::kWhileComputed);
      const auto pass = static_cast<uint64_t>(state_.update * options_.accumulate + micro);
      encoders::DropoutKeys dropout(random_key(random_key(options_.seed, kDropoutStream), pass));
      BatchLoss loss;
      encoders::within_memory_of(device_, [&] { loss = task_.accumulate_gradients(dropout); });
      sums.losses = sums.losses.defined() ? sums.losses + loss.sums : loss.sums;
      sums.targets += loss.targets;
      sums.tokens += static_cast<double>(loss.tokens);
    }
    return sums;
  }

  void validate() {
    const Clock::time_point start = Clock::now();
    double score = 0.0;
    if (is_first(group_)) {
      const WeightSwap averaged(task_.model(), ema_ ? &ema_->weights() : nullptr);
      scores_ = task_.validate();
      score = scores_.at(options_.valid_metric);
    }
    if (parallel_) {
      double values[] = {score, stop_requested() ? 1.0 : 0.0};
      group_->broadcast(at::from_blob(values, {2}, at::kDouble));
      score = values[0];
      agreed_to_stop_ = agreed_to_stop_ || values[1] > 0.0;
    }
    fail_together([&] {
      if (std::isnan(score)) {
        throw Error("update " + std::to_string(state_.update) +
                    ": the validation score is not a number");
      }
    });
    last_score_ = score;
    if (record_) record_->validation(state_.update, seconds_since(start), scores_);
  }

  // A validation that only ends a run does not count, since the run may continue.
  void count_gain() {
    std::optional<double>& best = state_.best_score;
    const bool higher = higher_is_better(options_.valid_metric);
    const bool better = !best || (higher ? last_score_ > *best : last_score_ < *best);
    if (better) best = last_score_;
    state_.validations_without_gain = better ? 0 : state_.validations_without_gain + 1;
  }

  void save(bool by_stop = false) {
    NamedTensors moments =
        parallel_ ? optimizer_.state([&](const auto& slices) { return parallel_->gather(slices); })
                  : optimizer_.state();
    if (!store_) return;
    std::unique_lock<std::mutex> hold;
    if (group_ != nullptr) hold = group_->hold();
    store_->save(
        state_.update, scores_,
        [&](const fs::path& directory) {
          const NamedTensors weights = weights_of(task_.model());
          task_.write_model(directory, ema_ ? ema_->weights() : weights);
          write_training_tensors(directory, std::move(moments), ema_ ? weights : NamedTensors(),
                                 low_rank_.get());
          write_training_state(directory, state_, task_.data_position(), configuration_);
        },
        by_stop);
    scores_.clear();
  }

  void restore(const fs::path& directory) {
    RankZeroFirst turn(group_);  // report a bad checkpoint once
    const nlohmann::json data = read_training_state(directory, state_, configuration_, options_);
    if (store_) store_->compare_scores_after(scores_after(state_, options_.valid_metric));
    try {
      task_.restore_data_position(data);
    } catch (const CheckpointError& error) {
      throw CheckpointError((directory / kTrainingState).string() + ": data: " + error.what());
    }
    read_training_tensors(directory, options_.ema_decay > 0.0, task_.model(), optimizer_,
                          ema_ ? &*ema_ : nullptr, low_rank_.get());
    spdlog::info("resuming from update {} ({})", state_.update, directory.string());
    turn.done();
  }

  // All processes check the same numbers; only the first one reports a problem.
  void fail_together(const std::function<void()>& check) const {
    try {
      check();
    } catch (const Error&) {
      if (is_first(group_)) throw;
      throw FirstProcessFailed();
    }
  }

  static constexpr uint64_t kDropoutStream = 0xd509;
  static constexpr uint64_t kLowRankStream = 0x10aa;

  TrainingTask& task_;
  const TrainerOptions& options_;
  const Configuration& configuration_;
  at::Device device_;
  ProcessGroup* group_;                        // null: one process
  std::unique_ptr<DataParallel> parallel_;     // null: one process
  std::unique_ptr<LowRankTraining> low_rank_;  // null: the weights themselves are trained
  Optimizer optimizer_;
  TrainingState state_;
  bool agreed_to_stop_ = false;
  double last_score_ = 0.0;
  std::map<std::string, double> scores_;  // of a validation since the last save
  // First process only:
  std::optional<MovingAverage> ema_;
  std::optional<storage::Checkpoint> resumed_;
  std::optional<storage::CheckpointStore> store_;
  std::optional<RunRecord> record_;
  std::optional<UpdateLog> log_;  // all processes: see start()
};

}  // namespace

TrainingEnd train(TrainingTask& task, const TrainerOptions& options,
                  const Configuration& configuration, bool resume, ProcessGroup* group) {
  throw_if_any(options.problems());
  require_score(task.score_names(), options.valid_metric);
  if (group != nullptr) {
    throw_if_any(options.problems_of_several());
    throw_if_any(task.problems_of_several());
    require_batches_for(group->processes(), options.accumulate);
  }
  return Loop(task, options, configuration, resume, group).run();
}

at::Device device_of(const torch::nn::Module& model) { return model.parameters().front().device(); }

at::Tensor batch_sums(const at::Tensor& loss, const at::Tensor& target_loss) {
  return at::stack({loss.detach().to(at::kDouble), target_loss.detach().to(at::kDouble)});
}

}  // namespace dietmt::training
