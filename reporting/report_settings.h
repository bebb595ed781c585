// What a run was: its settings and facts such as its machine, in the HTML of a report.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace dietmt::reporting {

/// `record`: settings.json, as in write_report(). Empty if it has no facts.
std::string facts_line(const nlohmann::ordered_json& record);

/// All settings by name, as text; those of a group as "group.name". Throws json::exception.
std::vector<std::pair<std::string, std::string>> setting_texts(
    const nlohmann::ordered_json& record);

/// The settings that were given, then those with default values, then groups of others.
std::string settings_tables(const nlohmann::ordered_json& record);

}  // namespace dietmt::reporting
