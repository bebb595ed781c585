#include "reporting/progress_table.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/files.h"
#include "reporting/progress.h"

namespace dietmt::reporting {

using nlohmann::ordered_json;

std::string progress_table(const std::vector<ordered_json>& entries) {
  std::vector<std::string> names;
  for (const ordered_json& entry : entries)
    for (const auto& [name, value] : entry.items())
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  std::string table;
  for (const std::string& name : names) table += (table.empty() ? "" : ",") + name;
  table += '\n';
  for (const ordered_json& entry : entries) {
    std::string line;
    for (const std::string& name : names) {
      if (name != names.front()) line += ',';
      const auto value = entry.find(name);
      if (value == entry.end() || value->is_null()) continue;  // null: not a number
      line += value->is_string() ? value->get<std::string>() : value->dump();
    }
    table += line + '\n';
  }
  return table;
}

void write_progress_table(const std::filesystem::path& output) {
  write_file_atomically(output / "progress.csv",
                        progress_table(read_progress(output / "progress.jsonl")));
}

}  // namespace dietmt::reporting
