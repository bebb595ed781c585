// The report of `dietmt inspect compare`: models side by side, the first one as the baseline.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "inspection/model_facts.h"

namespace dietmt::inspection {

/// Tables of tab-separated values: indicators, scores and cost. Each score has the two-sided
/// p-value of Welch's t-test against the first model.
std::string comparison_text(const std::vector<ModelFacts>& models);

nlohmann::ordered_json comparison_json(const std::vector<ModelFacts>& models);

/// One HTML page: these tables, and curves over each other.
std::string comparison_page(const std::vector<ModelFacts>& models);

}  // namespace dietmt::inspection
