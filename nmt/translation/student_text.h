// The two files that `dietmt distill` writes. A run continues the files of an earlier run of the
// same command, whatever stopped it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "nmt/translation/line_writer.h"

namespace dietmt::nmt {

class StudentText {
 public:
  /// `settings`: everything that the lines depend on. Lines that were written with other settings
  /// are written again. Empty: nothing is continued. Throws Error as LineWriter does.
  StudentText(const std::string& source_file, const std::string& target_file,
              const std::string& settings);

  /// The number of lines that are continued.
  int64_t lines() const { return lines_; }

  void write(const std::string& source, const std::string& target);
  bool flush() { return sources_.flush() && targets_.flush(); }

  /// Call it after the last line: gives the files their names.
  void commit();

 private:
  StudentText(const std::string& source_file, const std::string& target_file,
              Unfinished unfinished);

  LineWriter sources_, targets_;
  std::string settings_file_;      // empty: not continued
  std::string unfinished_target_;  // empty unless only the target was committed before a stop
  int64_t lines_ = 0;
};

/// Everything that the lines of a command depend on, as text: those of its `options` (name and
/// value) that say which lines it writes, and name, size and time of the files at `paths`, which
/// may be model directories.
std::string text_settings(std::span<const std::pair<std::string, std::string>> options,
                          const std::vector<std::string>& paths);

}  // namespace dietmt::nmt
