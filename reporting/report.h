// `report.html`: one self-contained page with the learning curves of a run as inline SVG, the table
// of validation results (the best marked) and the settings.
#pragma once

#include <filesystem>

namespace dietmt::reporting {

/// Writes `output/report.html` from `output/progress.jsonl` and, where present,
/// `output/settings.json`: one object, {"title": text, "settings": {group: {name: value}}}; a flat
/// "settings" object works too. Throws Error.
void write_report(const std::filesystem::path& output);

}  // namespace dietmt::reporting
