// What a training run recorded, for reports: progress.jsonl as curves, and settings.json.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reporting/report_chart.h"

namespace dietmt::reporting {

/// The values of one kind of entry by name, in the order of their first appearance. Values that are
/// not numbers are NaN.
struct Curves {
  std::vector<std::string> names;
  std::map<std::string, std::vector<Point>> columns;
};

struct RunCurves {
  /// settings.json as in write_report(); an empty object: there is none
  nlohmann::ordered_json record = nlohmann::ordered_json::object();
  Curves train;
  Curves valid;
  double updates = 0;
  double seconds = 0;  ///< of training

  /// Mean target tokens per second; 0: unknown.
  double speed() const;
};

inline constexpr const char* kUpdateAxis = "update";

/// Reads `output/progress.jsonl` and, if it exists, `output/settings.json`. The x of a point is the
/// value of `axis`: "update", "epoch" or "seconds"; entries without it are left out. Throws Error,
/// and DataError that names the file.
RunCurves read_run(const std::filesystem::path& output, const std::string& axis = kUpdateAxis);

/// "valid_loss" becomes "validation loss".
std::string display_name(const std::string& name);

bool is_loss(const std::string& name);
bool lower_is_better(const std::string& name);

/// Index of the best finite value; -1 if there is none.
int best_index(const std::string& name, const std::vector<double>& values);
int best_index(const std::string& name, const std::vector<Point>& points);

std::string score_text(const std::string& name, double value);

/// "12,345".
std::string count_text(double count);

/// The drawing below its title, as HTML. Empty if no series has a point.
std::string figure(const Chart& chart);

}  // namespace dietmt::reporting
