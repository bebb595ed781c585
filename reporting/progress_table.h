// `progress.csv`: progress.jsonl as a table, for spreadsheets and data frames.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace dietmt::reporting {

/// A header line and a line for each entry, with a column for each name that any entry has, in the
/// order of their first appearance. What an entry lacks is empty (RFC 4180).
std::string progress_table(const std::vector<nlohmann::ordered_json>& entries);

/// Writes `output/progress.csv` from `output/progress.jsonl`. Throws Error.
void write_progress_table(const std::filesystem::path& output);

}  // namespace dietmt::reporting
