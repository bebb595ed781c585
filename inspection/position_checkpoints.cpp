// The reports of `dietmt inspect positions --checkpoints`: how positions change in training.
#include <ATen/ATen.h>
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "inspection/position_report.h"
#include "reporting/heat_map.h"
#include "reporting/report.h"
#include "reporting/report_chart.h"
#include "storage/checkpoint.h"

namespace dietmt::inspection {
namespace {

constexpr size_t kMapSide = 64;

/// The numbers of one site at one checkpoint, by heading.
struct Summary {
  encoders::AttentionIndicators indicators;
  double rank = 0;  // mean over the terms; 0 if there are none
  std::string patterns;
};

/// "local 3, broad 1": the heads of each pattern.
std::string pattern_counts(const std::vector<HeadAttention>& heads) {
  std::map<std::string, int> counts;
  for (const HeadAttention& head : heads) ++counts[encoders::name_of(head.shape.pattern)];
  std::string text;
  for (const auto& [name, count] : counts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, count);
  return text;
}

Summary summary_of(const SiteReport& site) {
  Summary summary{site.mean_indicators(), 0, pattern_counts(site.attention)};
  for (const PositionTerm& term : site.terms)
    summary.rank += static_cast<double>(term.rank) / static_cast<double>(site.terms.size());
  return summary;
}

/// A chart of a number of all sites over updates.
template <typename Number>
std::string curve(const std::string& title, const std::vector<CheckpointReport>& reports,
                  const Number& value_of) {
  std::map<std::string, reporting::Series> sites;
  for (const CheckpointReport& checkpoint : reports)
    for (const SiteReport& site : checkpoint.report.sites) {
      reporting::Series& series = sites[site.name];
      series.name = site.name;
      series.points.push_back({static_cast<double>(checkpoint.update), value_of(summary_of(site))});
    }
  reporting::Chart chart{title, "update", title, {}};
  for (auto& [name, series] : sites) chart.series.push_back(std::move(series));
  return svg_chart(chart);
}

/// Mean attention of the first layer's heads, relative to uniform attention.
std::string attention_map(const CheckpointReport& checkpoint, const SiteReport& site) {
  at::Tensor sum = at::zeros_like(site.attention.front().probabilities);
  for (const HeadAttention& head : site.attention) sum = sum + head.probabilities;
  const at::Tensor mean = sum / static_cast<double>(site.attention.size());
  const at::Tensor values = (mean * mean.gt(0).sum(1, /*keepdim=*/true)).log2().contiguous();
  const auto* first = values.const_data_ptr<double>();
  const auto side = static_cast<size_t>(values.size(0));
  const std::string caption = fmt::format("{} · update {}", site.name, checkpoint.update);
  reporting::HeatMap map{caption, side, side, {first, first + values.numel()}, 2};
  return fmt::format("<figure>{}<figcaption>{}</figcaption></figure>\n",
                     svg_heat_map(reduced(map, kMapSide)), reporting::html_escaped(caption));
}

}  // namespace

std::vector<CheckpointReport> checkpoint_reports(const std::filesystem::path& run,
                                                 const PositionReportOptions& options) {
  const std::vector<storage::Checkpoint> checkpoints = storage::whole_checkpoints(run);
  if (checkpoints.empty())
    throw CheckpointError(run.string() +
                          ": no complete checkpoint; give the output directory of "
                          "train or bert pretrain");
  std::vector<CheckpointReport> reports;
  for (const storage::Checkpoint& checkpoint : checkpoints)
    reports.push_back({checkpoint.update, position_report(checkpoint.directory, options)});
  return reports;
}

nlohmann::ordered_json checkpoints_json(const std::vector<CheckpointReport>& reports) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const CheckpointReport& checkpoint : reports)
    all.push_back({{"update", checkpoint.update}, {"report", position_json(checkpoint.report)}});
  return {{"checkpoints", all}};
}

std::string checkpoints_text(const std::vector<CheckpointReport>& reports) {
  std::string text = "update\tattention\tAIV\tinner AIV\tOPR\tSD\tDB\tmean rank\tpatterns\n";
  for (const CheckpointReport& checkpoint : reports)
    for (const SiteReport& site : checkpoint.report.sites) {
      if (site.attention.empty() && site.terms.empty()) continue;
      const Summary summary = summary_of(site);
      const encoders::AttentionIndicators& is = summary.indicators;
      text += fmt::format("{}\t{}\t{:.4f}\t{:.4f}\t{:.4f}\t{:.4f}\t{:.4f}\t{:.1f}\t{}\n",
                          checkpoint.update, site.name, is.aiv, is.inner_aiv, is.opr, is.sd, is.db,
                          summary.rank, summary.patterns);
    }
  return text;
}

std::string checkpoints_page(const std::filesystem::path& run,
                             const std::vector<CheckpointReport>& reports) {
  std::string body =
      "<p>Indicators are those of the first layer in sentences that repeat one "
      "word, as means over the heads.</p>\n";
  body += curve("AIV", reports, [](const Summary& s) { return s.indicators.aiv; });
  body += curve("inner AIV", reports, [](const Summary& s) { return s.indicators.inner_aiv; });
  body += curve("OPR", reports, [](const Summary& s) { return s.indicators.opr; });
  body += curve("SD", reports, [](const Summary& s) { return s.indicators.sd; });
  body += curve("DB", reports, [](const Summary& s) { return s.indicators.db; });
  body += curve("mean rank", reports, [](const Summary& s) { return s.rank; });
  std::string maps;
  for (const CheckpointReport& checkpoint : reports)
    for (const SiteReport& site : checkpoint.report.sites)
      if (!site.attention.empty()) maps += attention_map(checkpoint, site);
  if (!maps.empty())
    body +=
        "<h3>Mean attention of the heads</h3><p>Relative to uniform attention: orange is more, "
        "blue is less.</p>\n<div class='maps'>\n" +
        maps + "</div>\n";
  return reporting::report_page("Positions of " + run.string() + " over training", body);
}

}  // namespace dietmt::inspection
