// Several training runs next to each other: their curves, best scores and different settings.
// `outputs` are their output directories. The functions throw as read_run() does, and DataError for
// a settings.json of another form.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "reporting/run_curves.h"

namespace dietmt::reporting {

/// The part of each path that is not common to all at its beginning and its end: "a" and "b" of
/// runs/a/model and runs/b/model.
std::vector<std::string> distinct_names(const std::vector<std::filesystem::path>& outputs);

/// A line for each run: its name, updates, time, best scores on validation, and speed, separated by
/// tabs, below a header.
std::string comparison_table(const std::vector<std::filesystem::path>& outputs);

/// A page with this table, a chart for each quantity with a curve for each run, and a table of the
/// settings in which they differ. `axis` is that of read_run().
std::string comparison_page(const std::vector<std::filesystem::path>& outputs,
                            const std::string& axis = kUpdateAxis);

/// The charts of that page.
std::string comparison_charts(const std::vector<std::filesystem::path>& outputs);

}  // namespace dietmt::reporting
