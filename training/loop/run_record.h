// The files of a training run that people look at (progress, curves, settings), and the time left.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "reporting/progress.h"
#include "training/loop/trainer_options.h"
#include "training/loop/training_state.h"
#include "training/processes/configuration.h"

namespace dietmt::training {

/// What a reader of the report wants to know of a run, other than its settings.
struct RunFacts {
  int64_t parameters = 0;
  std::string data = {};  // TrainingTask::training_data()
};

class RunRecord {
 public:
  /// Writes OUTPUT/settings.json and drops entries after the update of `state`, which belong to an
  /// abandoned continuation. Throws Error if a file cannot be written.
  RunRecord(const TrainerOptions& options, const Configuration& configuration,
            const TrainingState& state, const RunFacts& facts = {});

  /// Derives `stats.last` from the limits. Warns if the limit is 1,000 epochs or more.
  void update(reporting::UpdateStats stats);

  /// Like finish(), also rewrites report.html and progress.csv; warns once if it cannot.
  void validation(int64_t update, double seconds, const std::map<std::string, double>& scores);
  void finish();

 private:
  int64_t last_update(const reporting::UpdateStats& stats);
  void write_curves();

  const TrainerOptions& options_;
  reporting::Progress progress_;
  bool warned_ = false;
  bool complained_ = false;  // about curves that cannot be written
};

}  // namespace dietmt::training
