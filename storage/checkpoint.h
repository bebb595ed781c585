// The checkpoints of one training run, in its output directory:
//
//   checkpoints/update-00002000/   the files the caller writes, checkpoint.json (update, scores)
//                                  and manifest.json (sizes and checksums)
//   last, best                     links to the newest and to the best checkpoint
//
// A checkpoint appears under its name only when it is complete, so a crash leaves the earlier ones.
// The directories are the only record: there is no index to lose.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dietmt::storage {

/// The folder of checkpoints in an output directory.
inline constexpr char kCheckpointFolder[] = "checkpoints";

struct Checkpoint {
  std::filesystem::path directory;
  int64_t update = 0;
  std::map<std::string, double> scores;  ///< by metric name; empty if it was not validated
  bool by_stop = false;                  ///< saved only because the run was stopped
};

/// How checkpoints are compared and how many are kept; at least one of each kind.
struct CheckpointPolicy {
  int64_t keep_last = 1;
  int64_t keep_best = 1;
  std::string metric = "valid_loss";
  bool higher_is_better = false;
  /// Scores up to this update are of another kind: these checkpoints compete only with each other,
  /// and only until a later one has a score.
  int64_t scores_after = 0;
};

/// All complete checkpoints of a training output directory, oldest first; warns of damaged ones.
/// Only reads.
std::vector<Checkpoint> whole_checkpoints(const std::filesystem::path& output);

/// The newest complete checkpoint of a training output directory, from which a resumed run
/// continues; nothing if none was saved. Throws CheckpointError if all are damaged. Only reads.
std::optional<Checkpoint> newest_checkpoint(const std::filesystem::path& output);

/// The `count` best of `checkpoints`, best first, without those that lack the metric or have NaN or
/// scores of another kind. The earlier of two equals comes first.
std::vector<Checkpoint> best_of(std::vector<Checkpoint> checkpoints, const CheckpointPolicy& policy,
                                int64_t count);

/// The policy that a checkpoint was saved under.
CheckpointPolicy stored_policy(const Checkpoint& checkpoint);

/// The model directory for a user's path or name of a fetched model (located_model()): the path
/// itself if it has model.safetensors; else the best checkpoint of a training output directory, or
/// the last one. Throws CheckpointError if there is none.
std::filesystem::path resolve_model_directory(const std::filesystem::path& path_or_name);

/// Makes `link` point to `target` in one step; warns if the file system cannot.
void replace_link(const std::filesystem::path& link, const std::filesystem::path& target);

/// Writes checkpoints. Its owner must hold the OutputLock of the directory.
class CheckpointStore {
 public:
  /// Creates the directory if needed, removes leftovers of killed processes and repairs the links.
  CheckpointStore(std::filesystem::path output, CheckpointPolicy policy);
  CheckpointStore(const CheckpointStore&) = delete;
  CheckpointStore& operator=(const CheckpointStore&) = delete;

  /// Sets `scores_after` of the policy, for a run that continues with other scores.
  void compare_scores_after(int64_t update);

  /// Saves a checkpoint, whose files `write` puts into the given directory. Then updates the links
  /// and removes the checkpoints that the policy does not keep. One `by_stop` goes when the next
  /// one is saved, so that a run leaves the same checkpoints with and without stops. Throws
  /// CheckpointError with the reason, e.g. a full disk; the earlier checkpoints are then intact.
  const Checkpoint& save(int64_t update, const std::map<std::string, double>& scores,
                         const std::function<void(const std::filesystem::path&)>& write,
                         bool by_stop = false);

  /// The newest complete checkpoint.
  std::optional<Checkpoint> latest() const;
  /// The best one by the policy's metric.
  std::optional<Checkpoint> best() const;
  std::vector<Checkpoint> best_n(int64_t count) const;
  /// The newest `count` that were not saved by a stop, newest first.
  std::vector<Checkpoint> last_n(int64_t count) const;

  /// Removes every checkpoint, also damaged ones, for a run that starts over.
  void clear();

 private:
  void remove_leftovers() const;
  void renew_links() const;
  void prune();

  std::filesystem::path output_;
  std::filesystem::path folder_;  // output_/checkpoints
  CheckpointPolicy policy_;
  std::vector<Checkpoint> checkpoints_;  // complete ones, oldest first
};

}  // namespace dietmt::storage
