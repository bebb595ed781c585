// Self-contained HTML pages: no scripts, no external files, light and dark. `report.html` shows the
// learning curves of a run as inline SVG, the validation results (the best marked) and the
// settings.
#pragma once

#include <filesystem>
#include <string>

namespace dietmt::reporting {

/// A page. `title` is plain text, `body` is HTML with the classes of report_style.h.
std::string report_page(const std::string& title, const std::string& body);

/// Writes `output/report.html` from `output/progress.jsonl` and, if it exists,
/// `output/settings.json`: {"title": text, "run": {fact: value}, "settings": {name: value},
/// "defaults": [name]}; a value of "settings" may be a group {name: value}. Throws Error.
void write_report(const std::filesystem::path& output);

}  // namespace dietmt::reporting
