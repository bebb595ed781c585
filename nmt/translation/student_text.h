// What `dietmt distill` writes: two files that go on where an earlier run of the same command has
// stopped, however it stopped.
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
  /// `settings`: all that the lines depend on; lines written under others are written anew. Empty:
  /// nothing is continued. Throws Error as LineWriter does.
  StudentText(const std::string& source_file, const std::string& target_file,
              const std::string& settings);

  /// That stood in both files at first.
  int64_t lines() const { return lines_; }

  void write(const std::string& source, const std::string& target);
  bool flush() { return sources_.flush() && targets_.flush(); }

  /// After the last line: gives the files their names.
  void commit();

 private:
  StudentText(const std::string& source_file, const std::string& target_file,
              Unfinished unfinished);

  LineWriter sources_, targets_;
  std::string settings_file_;  // empty: not continued
  int64_t lines_ = 0;
};

/// Everything that the lines of a command depend on, as text: those of its `options` (name and
/// value) that say which lines it writes, and name, size and time of the files at `paths`, which
/// may be model directories.
std::string text_settings(std::span<const std::pair<std::string, std::string>> options,
                          const std::vector<std::string>& paths);

}  // namespace dietmt::nmt
