// What `dietmt distill` writes: two files that go on where an earlier run of the same command has
// stopped, however it stopped.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/options.h"
#include "common/text_io.h"
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

  nmt::LineWriter sources_, targets_;
  std::string settings_file_;  // empty: not continued
  int64_t lines_ = 0;
};

/// Settings of a command that translates: the options that say which lines it writes, and the
/// names, sizes and times of the files that it reads, `paths` and what stands in those of models.
std::string text_settings(const OptionTable& table, const std::vector<std::string>& paths);

void skip_lines(LineReader& reader, int64_t lines);

}  // namespace dietmt::nmt
