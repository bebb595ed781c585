// Reports the progress of a training run: a progress bar on a terminal, plain log lines elsewhere,
// and `progress.jsonl` and TensorBoard event files in the output directory.
//
//   Progress progress({.output = directory}, /*first_update=*/0);
//   progress.update({.update = 1, .last = 8000, .loss = 9.2, .tokens = 8000, .seconds = 2.1, ...});
//   progress.validation({.update = 1000, .scores = {{"valid_loss", 3.1}, {"bleu", 21.5}}});
//   progress.finish();
//
// Each line of progress.jsonl is one object: "kind" ("train" or "valid"), "update", "seconds"
// (spent in training, over all resumptions) and the values by name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace dietmt::reporting {

struct ProgressOptions {
  std::filesystem::path output;  ///< empty: show progress, write no files
  int64_t log_interval = 100;    ///< updates between two entries
  bool event_files = true;       ///< for TensorBoard
};

/// One update, or several since the last call.
struct UpdateStats {
  int64_t update = 0;  ///< the number of finished updates
  int64_t last = 0;    ///< the update that ends the training; 0: not known, no time left is shown
  double epoch = 0;    ///< passes over the data, with the fraction of the present one
  double loss = 0;     ///< mean per target token, natural logarithm
  int64_t tokens = 0;  ///< target tokens since the last call
  double seconds = 0;  ///< time they took, without validation and saving
  double learning_rate = 0;
  double gradient_norm = 0;
  int64_t peak_memory = 0;  ///< bytes of the device that computes; 0: those of the process
};

struct ValidationStats {
  int64_t update = 0;
  double seconds = 0;                                  ///< time the validation took
  std::vector<std::pair<std::string, double>> scores;  ///< "valid_loss", "bleu", "chrf", ...
};

class Progress {
 public:
  /// `first_update`: the update that the run resumes from (0: from the start). Entries of later
  /// updates, from before a crash, are removed from progress.jsonl. Throws Error if the output
  /// cannot be written.
  Progress(ProgressOptions options, int64_t first_update);
  ~Progress();

  void update(const UpdateStats& stats);
  void validation(const ValidationStats& stats);

  /// Writes the last, partial interval and ends the bar. The destructor does the same.
  void finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The entries of a progress.jsonl, in order, without lines that a crash cut off.
std::vector<nlohmann::ordered_json> read_progress(const std::filesystem::path& path);

/// The entries as CSV (RFC 4180) for spreadsheets and data frames: a header, then a line for each
/// entry, with a column for each name in the order of first appearance. Missing values are empty.
std::string progress_table(const std::vector<nlohmann::ordered_json>& entries);

/// Writes `output/progress.csv` from `output/progress.jsonl`. Throws Error.
void write_progress_table(const std::filesystem::path& output);

}  // namespace dietmt::reporting
