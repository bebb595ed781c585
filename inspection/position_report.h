// What the positions of a model do, collected for the page, JSON and text of
// `dietmt inspect positions`.
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
  int64_t words = 0;  // at most as many as a vocabulary has
  std::vector<SiteReport> sites;
};

struct PositionReportOptions {
  int64_t length = 64;
  int64_t words = 100;
  int64_t seed = 1;
};

/// Of a translation model, or an encoder of this program or Hugging Face's transformers. Throws
/// ConfigError if it has no positions of that length, or for less than one word.
PositionReport position_report(const std::filesystem::path& model,
                               const PositionReportOptions& options);

nlohmann::ordered_json position_json(const PositionReport& report);

/// Tables of tab-separated values.
std::string position_text(const PositionReport& report);

/// One self-contained HTML page.
std::string position_page(const PositionReport& report);

}  // namespace dietmt::inspection
