#include "data/cleaning/cleaning_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/random.h"
#include "reporting/html_table.h"
#include "reporting/report.h"
#include "reporting/run_curves.h"

namespace dietmt::data {
namespace {

constexpr size_t kExamples = 10;

std::string percent(int64_t part, int64_t whole) {
  return whole == 0 ? ""
                    : fmt::format("{:.2f} %",
                                  100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string examples_section(const RuleCount& count) {
  if (count.examples.empty()) return "";
  std::vector<std::vector<reporting::TableCell>> rows;
  for (const PairExample& one : count.examples)
    rows.push_back({std::to_string(one.number), one.source, one.target});
  return reporting::table_section(count.rule, {"line", "source", "target"}, rows,
                                  reporting::TableKind::kText);
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
  examples.push_back({number, reporting::shown_text(source), reporting::shown_text(target)});
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
  std::vector<std::vector<reporting::TableCell>> table;
  for (const RuleCount& count : rules)
    table.push_back({count.rule, reporting::count_text(static_cast<double>(count.removed)),
                     percent(count.removed, pairs),
                     reporting::count_text(static_cast<double>(count.objected))});
  body += reporting::table_section("", {"rule", "removed", "share", "objects to"}, table,
                                   reporting::TableKind::kNumbers);
  body +=
      "<p class='facts'>A pair is removed by the first rule that objects to it. The last column "
      "counts all pairs that a rule objects to; scores are computed only for pairs that pass the "
      "other rules.</p>\n";
  for (const RuleCount& count : rules) body += examples_section(count);
  return reporting::report_page(title, body);
}

}  // namespace dietmt::data
