#include "data/cleaning/cleaning_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/random.h"
#include "common/text_io.h"
#include "reporting/report.h"
#include "reporting/report_chart.h"
#include "reporting/run_curves.h"

namespace dietmt::data {
namespace {

constexpr size_t kExamples = 10;

// UTF-8, without control characters and not longer than a few lines.
std::string shown(std::string_view text) {
  constexpr size_t kMostBytes = 400;
  std::string cut(text.size() > kMostBytes ? text.substr(0, cut_length(text, kMostBytes)) : text);
  cut = replace_invalid_utf8(cut);
  for (char& byte : cut)
    if (static_cast<unsigned char>(byte) < 0x20 || byte == 0x7F) byte = ' ';
  return text.size() > kMostBytes ? cut + "…" : cut;
}

std::string percent(int64_t part, int64_t whole) {
  return whole == 0 ? ""
                    : fmt::format("{:.2f} %",
                                  100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string examples_section(const RuleCount& count) {
  if (count.examples.empty()) return "";
  std::string html = fmt::format(
      "<section><h2>{}</h2>\n<div class='scroll'><table><thead><tr><th>line</th><th>source</th>"
      "<th>target</th></tr></thead><tbody>\n",
      reporting::html_escaped(count.rule));
  for (const PairExample& one : count.examples)
    html += fmt::format("<tr><td>{}</td><td dir='auto'>{}</td><td dir='auto'>{}</td></tr>\n",
                        one.number, reporting::html_escaped(one.source),
                        reporting::html_escaped(one.target));
  return html + "</tbody></table></div></section>\n";
}

}  // namespace

void RuleCount::remove(int64_t number, std::string_view source, std::string_view target) {
  ++removed;
  size_t place = examples.size();
  if (place == kExamples) {  // reservoir sampling (Vitter 1985, algorithm R)
    place = Random(random_key(kExamples, static_cast<uint64_t>(removed)))
                .below(static_cast<uint64_t>(removed));
    if (place >= kExamples) return;
    examples.erase(examples.begin() + static_cast<std::ptrdiff_t>(place));
  }
  examples.push_back({number, shown(source), shown(target)});
}

std::string CleaningReport::table() const {
  size_t width = 4;
  for (const RuleCount& count : rules) width = std::max(width, count.rule.size());
  std::string text = fmt::format("kept {} of {} pairs ({})\n", kept, pairs,
                                 pairs == 0 ? "0 %" : percent(kept, pairs));
  text += fmt::format("{:{}}  {:>12}  {:>8}  {:>12}\n", "rule", width, "removed", "", "objects to");
  for (const RuleCount& count : rules)
    text += fmt::format("{:{}}  {:>12}  {:>8}  {:>12}\n", count.rule, width, count.removed,
                        percent(count.removed, pairs), count.objected);
  return text;
}

nlohmann::ordered_json CleaningReport::json() const {
  nlohmann::ordered_json all{{"pairs", pairs}, {"kept", kept}, {"seconds", seconds}};
  all["rules"] = nlohmann::ordered_json::array();
  for (const RuleCount& count : rules) {
    nlohmann::ordered_json rule{
        {"rule", count.rule}, {"removed", count.removed}, {"objected", count.objected}};
    rule["examples"] = nlohmann::ordered_json::array();
    for (const PairExample& one : count.examples)
      rule["examples"].push_back(
          {{"number", one.number}, {"source", one.source}, {"target", one.target}});
    all["rules"].push_back(std::move(rule));
  }
  return all;
}

std::string CleaningReport::page(const std::string& title) const {
  std::string body =
      fmt::format("<p class='facts'>kept {} of {} pairs ({})</p>\n",
                  reporting::count_text(static_cast<double>(kept)),
                  reporting::count_text(static_cast<double>(pairs)), percent(kept, pairs));
  body +=
      "<section><div class='scroll'><table class='scores'><thead><tr><th>rule</th><th>removed</th>"
      "<th>share</th><th>objects to</th></tr></thead><tbody>\n";
  for (const RuleCount& count : rules)
    body += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                        reporting::html_escaped(count.rule),
                        reporting::count_text(static_cast<double>(count.removed)),
                        percent(count.removed, pairs),
                        reporting::count_text(static_cast<double>(count.objected)));
  body +=
      "</tbody></table></div><p class='facts'>A pair is removed by the first rule that objects to "
      "it. The last column counts all pairs that a rule objects to.</p></section>\n";
  for (const RuleCount& count : rules) body += examples_section(count);
  return reporting::report_page(title, body);
}

}  // namespace dietmt::data
