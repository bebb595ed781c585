// The progress bar of a command that reads a text line by line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "reporting/progress_bar.h"

namespace dietmt::tools {

/// Counts the lines of `text` first, so there is no bar for a text that can be read only once.
class LineProgress {
 public:
  /// `done`: lines of an earlier run.
  explicit LineProgress(const std::string& text, int64_t done = 0);

  void add(int64_t lines);
  int64_t done() const { return done_; }

 private:
  int64_t done_;
  std::optional<reporting::ProgressBar> bar_;
};

}  // namespace dietmt::tools
