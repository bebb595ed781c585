// The two output files of `dietmt distill`. A run continues the files of an interrupted run of the
// same command.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "nmt/translation/line_writer.h"

namespace dietmt::nmt {

class DistilledCorpus {
 public:
  /// `settings`: everything that the lines depend on. Lines written with other settings are written
  /// again. Empty: nothing is continued. Throws Error like LineWriter.
  DistilledCorpus(const std::string& source_file, const std::string& target_file,
                  const std::string& settings);

  /// The number of lines kept from an earlier run.
  int64_t lines() const { return lines_; }

  void write(const std::string& source, const std::string& target);
  bool flush() { return sources_.flush() && targets_.flush(); }

  /// Call it after the last line: gives the files their names.
  void commit();

 private:
  DistilledCorpus(const std::string& source_file, const std::string& target_file,
                  Unfinished unfinished);

  LineWriter sources_, targets_;
  std::string settings_file_;      // empty: not continued
  std::string unfinished_target_;  // set only if a stop came after the target was committed, but
                                   // not the source
  int64_t lines_ = 0;
};

/// Everything that a command's lines depend on, as text: those of its `options` (name and value)
/// that affect the lines, and name, size and time of the files at `paths`, which may be model
/// directories.
std::string text_settings(std::span<const std::pair<std::string, std::string>> options,
                          const std::vector<std::string>& paths);

}  // namespace dietmt::nmt
