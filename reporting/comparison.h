// Several training runs next to each other: their curves, best scores and different settings.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace dietmt::reporting {

/// Output directories of runs. They are named by the part of their path that is not common to all.
/// Throws as read_run() does, and DataError for a settings.json of another form.
class Comparison {
 public:
  explicit Comparison(const std::vector<std::filesystem::path>& outputs);
  ~Comparison();

  /// A line for each run: its name, updates, time, best scores on validation, and speed, separated
  /// by tabs, below a header.
  std::string table() const;

  /// A page with this table, a chart for each quantity with a curve for each run, and a table of
  /// the settings in which they differ.
  std::string page() const;

 private:
  struct Run;
  std::vector<Run> runs_;
};

}  // namespace dietmt::reporting
