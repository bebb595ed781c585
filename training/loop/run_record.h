// What a training leaves for people to look at: progress, curves, settings, and the time left.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "reporting/progress.h"
#include "training/loop/trainer_options.h"

namespace dietmt::training {

class RunRecord {
 public:
  /// Writes OUTPUT/settings.json; entries beyond `first_update` are those of a run that was lost.
  /// Throws Error if a file cannot be written.
  RunRecord(const TrainerOptions& options, const Configuration& configuration,
            int64_t first_update);

  /// `stats.last` follows from the limits. Warns of a limit of a thousand epochs and more.
  void update(reporting::UpdateStats stats);

  /// Renews report.html and progress.csv as well, as does finish().
  void validation(int64_t update, double seconds, const std::map<std::string, double>& scores);
  void finish();

 private:
  int64_t last_update(const reporting::UpdateStats& stats);
  void write_curves() const;

  const TrainerOptions& options_;
  reporting::Progress progress_;
  bool warned_ = false;
};

}  // namespace dietmt::training
