#include "storage/checkpoint.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <ranges>

#include "common/atomic_file.h"
#include "common/error.h"
#include "common/files.h"
#include "common/json_fields.h"
#include "storage/fetched_models.h"

namespace dietmt::storage {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

constexpr const char* kRecord = "checkpoint.json";
constexpr const char* kPrefix = "update-";
constexpr const char* kRemoved = ".removed";

std::string directory_name(int64_t update) {
  char name[32];
  std::snprintf(name, sizeof name, "%s%08lld", kPrefix, static_cast<long long>(update));
  return name;
}

// The part of a name after `update-` and its digits: nothing for a checkpoint; `none` if the name
// does not begin so.
std::optional<std::string> after_update(const std::string& name) {
  if (!name.starts_with(kPrefix)) return std::nullopt;
  const size_t digits = std::strlen(kPrefix);
  const size_t end = std::min(name.find_first_not_of("0123456789", digits), name.size());
  if (end == digits) return std::nullopt;
  return name.substr(end);
}

bool is_checkpoint_name(const std::string& name) { return after_update(name) == ""; }

// A checkpoint that a killed process was writing or removing. Others are the user's copies.
bool is_leftover_name(const std::string& name) {
  const std::optional<std::string> rest = after_update(name);
  return rest && (*rest == kRemoved || is_temporary_name(*rest, ""));
}

// Names of links and files that a training run writes into its output directory.
bool is_leftover_of_output(const std::string& name) {
  constexpr std::string_view kWritten[] = {"best",        "last",         "settings.json",
                                           "report.html", "progress.csv", "progress.jsonl"};
  return std::ranges::any_of(
      kWritten, [&](std::string_view written) { return is_temporary_name(name, written); });
}

// JSON has no NaN or infinity: such scores are stored as null.
std::string record_text(int64_t update, const std::map<std::string, double>& scores,
                        const CheckpointPolicy& policy, bool by_stop) {
  const json record = {{"update", update},
                       {"scores", scores},
                       {"metric", policy.metric},
                       {"higher_is_better", policy.higher_is_better},
                       {"scores_after", policy.scores_after},
                       {"keep_last", policy.keep_last},
                       {"keep_best", policy.keep_best},
                       {"by_stop", by_stop}};
  return record.dump(1) + "\n";
}

// Sizes and times of a directory's files.
std::map<std::string, std::pair<uintmax_t, fs::file_time_type>> file_times(const fs::path& path) {
  std::map<std::string, std::pair<uintmax_t, fs::file_time_type>> times;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(path, ignored))
    times[entry.path().filename()] = {entry.file_size(ignored), entry.last_write_time(ignored)};
  return times;
}

// manifest_problem(), which reads all bytes. A run that resumes looks at its newest checkpoint
// several times; files that have not changed since the last look are not read again.
std::string problem_since_last_look(const fs::path& directory) {
  static std::mutex mutex;
  static std::map<fs::path, decltype(file_times({}))> whole;
  const std::lock_guard lock(mutex);
  const auto times = file_times(directory);
  if (const auto seen = whole.find(directory); seen != whole.end() && seen->second == times)
    return {};
  std::string problem = manifest_problem(directory);
  if (problem.empty()) whole[directory] = times;
  return problem;
}

// The checkpoint in `directory`; if there is none, sets `problem` to the reason.
std::optional<Checkpoint> read_checkpoint(const fs::path& directory, std::string& problem) {
  problem = problem_since_last_look(directory);
  if (!problem.empty()) return std::nullopt;
  try {
    return read_json_as(directory / kRecord, [&](const json& record) {
      Checkpoint checkpoint{directory, 0, {}};
      read_field(record, "update", checkpoint.update);
      checkpoint.by_stop = field_or(record, "by_stop", false);
      for (const auto& [name, score] : object_field(record, "scores").items())
        checkpoint.scores[name] = score.is_number() ? score.get<double>() : std::nan("");
      return checkpoint;
    });
  } catch (const Error& error) {
    problem = error.what();
    return std::nullopt;
  }
}

void remove_tree(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) spdlog::warn("{}: cannot be removed: {}", path.string(), error.message());
}

// Renames it first, so that a killed process leaves no partial checkpoint.
void remove_checkpoint(const fs::path& directory) {
  const fs::path aside = directory.string() + kRemoved;
  std::error_code error;
  fs::rename(directory, aside, error);
  remove_tree(error ? directory : aside);
}

[[noreturn]] void refuse_damaged(const fs::path& output, const std::vector<std::string>& problems) {
  std::string text = output.string() +
                     ": all checkpoints are damaged, so the run cannot resume; give --resume never "
                     "to discard them and start over, or another --output";
  for (const std::string& problem : problems) text += "\n  " + problem;
  throw CheckpointError(text);
}

std::vector<fs::path> entries_of(const fs::path& directory) {
  std::error_code ignored;
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(directory, ignored)) paths.push_back(entry);
  std::ranges::sort(paths);
  return paths;
}

}  // namespace

void replace_link(const fs::path& link, const fs::path& target) {
  std::error_code error;
  if (fs::is_symlink(link) && fs::read_symlink(link, error) == target && !error) return;
  const fs::path temporary = temporary_name(link);
  fs::remove(temporary, error);
  fs::create_symlink(target, temporary, error);
  if (!error) fs::rename(temporary, link, error);
  if (error) {
    spdlog::warn("{}: cannot be linked: {}", link.string(), error.message());
    fs::remove(temporary, error);
  }
}

std::vector<Checkpoint> whole_checkpoints(const fs::path& output) {
  std::vector<Checkpoint> found;
  for (const fs::path& path : entries_of(output / kCheckpointFolder)) {
    if (!is_checkpoint_name(path.filename().string())) continue;
    std::string problem;
    if (auto checkpoint = read_checkpoint(path, problem)) {
      found.push_back(std::move(*checkpoint));
    } else {
      spdlog::warn("ignoring the damaged checkpoint {}: {}", path.string(), problem);
    }
  }
  std::ranges::stable_sort(found, {}, &Checkpoint::update);
  return found;
}

std::optional<Checkpoint> newest_checkpoint(const fs::path& output) {
  // Names of equal length sort by update; longer ones are newer.
  std::vector<fs::path> paths = entries_of(output / kCheckpointFolder);
  std::ranges::stable_sort(paths, {}, [](const fs::path& path) { return path.native().size(); });
  std::vector<std::string> problems;
  for (const fs::path& path : paths | std::views::reverse) {
    if (!is_checkpoint_name(path.filename().string())) continue;
    if (auto checkpoint = read_checkpoint(path, problems.emplace_back())) return checkpoint;
  }
  if (!problems.empty()) refuse_damaged(output, problems);
  return std::nullopt;
}

std::vector<Checkpoint> best_of(std::vector<Checkpoint> checkpoints, const CheckpointPolicy& policy,
                                int64_t count) {
  std::erase_if(checkpoints, [&](const Checkpoint& checkpoint) {
    const auto score = checkpoint.scores.find(policy.metric);
    return score == checkpoint.scores.end() || std::isnan(score->second);
  });
  const auto competes = [&](const Checkpoint& one) { return one.update > policy.scores_after; };
  if (std::ranges::any_of(checkpoints, competes)) std::erase_if(checkpoints, std::not_fn(competes));
  std::ranges::stable_sort(checkpoints, {}, [&](const Checkpoint& checkpoint) {
    const double score = checkpoint.scores.at(policy.metric);
    return policy.higher_is_better ? -score : score;
  });
  if (std::ssize(checkpoints) > count) checkpoints.resize(static_cast<size_t>(count));
  return checkpoints;
}

CheckpointPolicy stored_policy(const Checkpoint& checkpoint) {
  return read_json_as(checkpoint.directory / kRecord, [](const json& record) {
    CheckpointPolicy policy;
    read_field(record, "keep_last", policy.keep_last);
    read_field(record, "keep_best", policy.keep_best);
    read_field(record, "metric", policy.metric);
    read_field(record, "higher_is_better", policy.higher_is_better);
    if (record.contains("scores_after")) read_field(record, "scores_after", policy.scores_after);
    return policy;
  });
}

fs::path resolve_model_directory(const fs::path& path_or_name) {
  const fs::path path = located_model(path_or_name);
  const auto is_model = [](const fs::path& directory) {
    return fs::exists(directory / "model.safetensors");
  };
  for (const fs::path& candidate : {path, path / "best", path / "last"}) {
    if (is_model(candidate)) return candidate;
  }
  if (!fs::exists(path)) throw CheckpointError(path.string() + ": no such directory");
  if (!fs::is_directory(path)) throw CheckpointError(path.string() + ": is not a directory");
  const std::vector<Checkpoint> all = whole_checkpoints(path);
  if (all.empty() || !is_model(all.back().directory)) {
    throw CheckpointError(path.string() + ": has neither model.safetensors nor a checkpoint");
  }
  const std::vector<Checkpoint> best = best_of(all, stored_policy(all.back()), 1);
  return best.empty() ? all.back().directory : best.front().directory;
}

CheckpointStore::CheckpointStore(fs::path output, CheckpointPolicy policy)
    : output_(std::move(output)), folder_(output_ / kCheckpointFolder), policy_(std::move(policy)) {
  policy_.keep_last = std::max<int64_t>(policy_.keep_last, 1);
  policy_.keep_best = std::max<int64_t>(policy_.keep_best, 1);
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) throw CheckpointError(folder_.string() + ": cannot be created: " + error.message());
  remove_leftovers();
  checkpoints_ = whole_checkpoints(output_);
  renew_links();
}

void CheckpointStore::remove_leftovers() const {
  for (const fs::path& path : entries_of(folder_)) {
    if (is_leftover_name(path.filename().string())) remove_tree(path);
  }
  for (const fs::path& path : entries_of(output_)) {
    if (is_leftover_of_output(path.filename().string())) remove_tree(path);
  }
}

void CheckpointStore::compare_scores_after(int64_t update) {
  policy_.scores_after = update;
  renew_links();
}

const Checkpoint& CheckpointStore::save(int64_t update, const std::map<std::string, double>& scores,
                                        const std::function<void(const fs::path&)>& write,
                                        bool by_stop) {
  const fs::path directory = folder_ / directory_name(update);
  const auto fail = [&](const std::exception& error) {
    throw CheckpointError("the checkpoint of update " + std::to_string(update) +
                          " could not be saved (earlier ones are intact): " + error.what());
  };
  try {
    AtomicDirectory files(directory);
    write(files.path());
    write_file_atomically(files.path() / kRecord, record_text(update, scores, policy_, by_stop));
    if (fs::exists(directory)) remove_checkpoint(directory);  // a damaged one
    files.commit();
  } catch (const Error& error) {
    fail(error);
  } catch (const fs::filesystem_error& error) {
    fail(error);
  }
  std::erase_if(checkpoints_, [&](const Checkpoint& other) { return other.update == update; });
  checkpoints_.push_back({directory, update, scores, by_stop});
  std::ranges::stable_sort(checkpoints_, {}, &Checkpoint::update);
  renew_links();
  prune();
  return *std::ranges::find(checkpoints_, update, &Checkpoint::update);
}

void CheckpointStore::renew_links() const {
  const auto point = [&](const char* name, const std::optional<Checkpoint>& target) {
    std::error_code ignored;
    if (target) {
      replace_link(output_ / name, fs::path(kCheckpointFolder) / target->directory.filename());
    } else {
      fs::remove(output_ / name, ignored);
    }
  };
  point("last", latest());
  point("best", best());
}

void CheckpointStore::prune() {
  std::vector<int64_t> kept = {checkpoints_.back().update};
  for (const Checkpoint& checkpoint : last_n(policy_.keep_last)) kept.push_back(checkpoint.update);
  for (const Checkpoint& checkpoint : best_n(policy_.keep_best)) kept.push_back(checkpoint.update);
  std::erase_if(checkpoints_, [&](const Checkpoint& checkpoint) {
    if (std::ranges::find(kept, checkpoint.update) != kept.end()) return false;
    remove_checkpoint(checkpoint.directory);
    return true;
  });
}

std::optional<Checkpoint> CheckpointStore::latest() const {
  if (checkpoints_.empty()) return std::nullopt;
  return checkpoints_.back();
}

std::optional<Checkpoint> CheckpointStore::best() const {
  const std::vector<Checkpoint> found = best_n(1);
  if (found.empty()) return std::nullopt;
  return found.front();
}

std::vector<Checkpoint> CheckpointStore::best_n(int64_t count) const {
  return best_of(checkpoints_, policy_, count);
}

std::vector<Checkpoint> CheckpointStore::last_n(int64_t count) const {
  std::vector<Checkpoint> found(checkpoints_.rbegin(), checkpoints_.rend());
  std::erase_if(found, std::mem_fn(&Checkpoint::by_stop));
  if (std::ssize(found) > count) found.resize(static_cast<size_t>(count));
  return found;
}

void CheckpointStore::clear() {
  for (const fs::path& path : entries_of(folder_)) {
    if (is_checkpoint_name(path.filename().string())) remove_checkpoint(path);
  }
  checkpoints_.clear();
  renew_links();
}

}  // namespace dietmt::storage
