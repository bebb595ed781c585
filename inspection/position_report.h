// The report of `dietmt inspect positions`, as a page, JSON and text.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "inspection/position_sites.h"

namespace dietmt::inspection {

struct PositionReport {
  std::string model;
  int64_t length = 0;
  int64_t words = 0;  // limited by the vocabulary
  std::vector<SiteReport> sites;
};

struct PositionReportOptions {
  int64_t length = 64;  // 2 or more
  int64_t words = 100;  // 1 or more
  int64_t seed = 1;
};

/// For a translation model, or a BERT of dietmt or Hugging Face. Throws ConfigError if the model
/// has fewer positions than `length`.
PositionReport position_report(const std::filesystem::path& model,
                               const PositionReportOptions& options);

nlohmann::ordered_json position_json(const PositionReport& report);

/// Tables of tab-separated values.
std::string position_text(const PositionReport& report);

/// One self-contained HTML page.
std::string position_page(const PositionReport& report);

}  // namespace dietmt::inspection
