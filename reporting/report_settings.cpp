#include "reporting/report_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "reporting/report_chart.h"

namespace dietmt::reporting {
namespace {

using nlohmann::ordered_json;

// Lists are written as on the command line, separated by spaces.
std::string setting_text(const ordered_json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::string text;
  for (const ordered_json& item : value) text += (text.empty() ? "" : " ") + setting_text(item);
  return text;
}

std::string row(const std::string& name, const ordered_json& value) {
  return fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", html_escaped(name),
                     html_escaped(setting_text(value)));
}

std::string table(const std::string& name, const std::string& rows) {
  if (rows.empty()) return "";
  return fmt::format("<div><h3>{}</h3><table>\n{}</table></div>\n", html_escaped(name), rows);
}

// An object of the record, which may be missing; throws json::type_error if it is something else.
ordered_json object_of(const ordered_json& record, const char* name) {
  ordered_json found = record.value(name, ordered_json::object());
  static_cast<void>(found.get_ref<const ordered_json::object_t&>());
  return found;
}

}  // namespace

std::string facts_line(const ordered_json& record) {
  std::string line;
  const ordered_json facts = object_of(record, "run");
  for (const auto& [name, value] : facts.items()) {
    const bool says_itself = value.is_string() && name != "started";
    line += (line.empty() ? "" : " \u00B7 ") +
            html_escaped((says_itself ? "" : name + " ") + setting_text(value));
  }
  return line.empty() ? "" : "<p class='facts'>" + line + "</p>\n";
}

std::vector<std::pair<std::string, std::string>> setting_texts(const ordered_json& record) {
  std::vector<std::pair<std::string, std::string>> texts;
  const ordered_json settings = object_of(record, "settings");
  for (const auto& [name, value] : settings.items()) {
    if (value.is_object()) {
      for (const auto& [key, setting] : value.items())
        texts.emplace_back(name + "." + key, setting_text(setting));
    } else {
      texts.emplace_back(name, setting_text(value));
    }
  }
  return texts;
}

std::string settings_tables(const ordered_json& record) {
  const ordered_json defaults = record.value("defaults", ordered_json::array());
  std::string given, others, groups;
  const ordered_json settings = object_of(record, "settings");
  for (const auto& [name, value] : settings.items()) {
    if (value.is_object()) {
      std::string rows;
      for (const auto& [key, setting] : value.items()) rows += row(key, setting);
      groups += table(name, rows);
    } else {
      (std::ranges::find(defaults, ordered_json(name)) == defaults.end() ? given : others) +=
          row(name, value);
    }
  }
  const std::string all = table("given", given) + table("defaults", others) + groups;
  if (all.empty()) return "";
  return "<section><h2>Settings</h2>\n<div class='settings'>\n" + all + "</div></section>\n";
}

}  // namespace dietmt::reporting
