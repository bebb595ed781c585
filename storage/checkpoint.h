// The checkpoints of one training run, in its output directory:
//
//   checkpoints/update-00002000/   the files the caller writes, checkpoint.json (update, scores)
//                                  and manifest.json (sizes and checksums)
//   last, best                     links to the newest and to the best checkpoint
//
// A checkpoint appears under its name only when whole, so a crash at any instant leaves the
// earlier ones. The directories themselves are the only record: there is no index to lose.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dietmt::storage {

struct Checkpoint {
  std::filesystem::path directory;
  int64_t update = 0;
  std::map<std::string, double> scores;  ///< by metric name; empty if it was not validated
};

/// How checkpoints are compared and how many are kept; at least one of each kind.
struct CheckpointPolicy {
  int64_t keep_last = 1;
  int64_t keep_best = 1;
  std::string metric = "valid_loss";
  bool higher_is_better = false;
};

/// All whole checkpoints of a training output directory, oldest first; a damaged one is passed over
/// with a warning. Reads only.
std::vector<Checkpoint> whole_checkpoints(const std::filesystem::path& output);

/// The newest whole checkpoint of a training output directory: what a resumed run continues from.
/// Reads only.
std::optional<Checkpoint> newest_checkpoint(const std::filesystem::path& output);

/// The `count` best of `checkpoints`, best first; those without the metric, or with a NaN, are left
/// out, and the earlier of two equals comes first.
std::vector<Checkpoint> best_of(std::vector<Checkpoint> checkpoints, const CheckpointPolicy& policy,
                                int64_t count);

/// The policy that the run's newest checkpoint was saved under.
CheckpointPolicy stored_policy(const Checkpoint& checkpoint);

/// A model directory from what a user names: a directory with model.safetensors is returned as it
/// is; for a training output directory it is the best checkpoint, else the last one. Throws
/// CheckpointError if there is neither.
std::filesystem::path resolve_model_directory(const std::filesystem::path& path);

/// Writes checkpoints. Whoever has one holds the OutputLock of its directory.
class CheckpointStore {
 public:
  /// Creates the directory if needed, removes what a killed process left half-written and repairs
  /// the links.
  CheckpointStore(std::filesystem::path output, CheckpointPolicy policy);
  CheckpointStore(const CheckpointStore&) = delete;
  CheckpointStore& operator=(const CheckpointStore&) = delete;

  /// Saves a checkpoint: `write` puts its files into the directory it is given. Then the links are
  /// renewed and what the policy does not keep is removed. Throws CheckpointError with the reason
  /// (a full disk, ...); the earlier checkpoints are intact then.
  const Checkpoint& save(int64_t update, const std::map<std::string, double>& scores,
                         const std::function<void(const std::filesystem::path&)>& write);

  /// The newest whole checkpoint.
  std::optional<Checkpoint> latest() const;
  /// The best one by the policy's metric.
  std::optional<Checkpoint> best() const;
  std::vector<Checkpoint> best_n(int64_t count) const;
  /// The newest `count`, newest first.
  std::vector<Checkpoint> last_n(int64_t count) const;

  /// Removes every checkpoint, damaged ones too, for a run that starts anew.
  void clear();

 private:
  void remove_leftovers() const;
  void renew_links() const;
  void prune();

  std::filesystem::path output_;
  std::filesystem::path folder_;  // output_/checkpoints
  CheckpointPolicy policy_;
  std::vector<Checkpoint> checkpoints_;  // whole ones, oldest first
};

}  // namespace dietmt::storage
