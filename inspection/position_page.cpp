// The report of `dietmt inspect positions` as a page of heat maps.
#include <ATen/ATen.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "inspection/position_report.h"
#include "reporting/heat_map.h"
#include "reporting/report.h"
#include "reporting/report_chart.h"

namespace dietmt::inspection {
namespace {

using reporting::html_escaped;

constexpr size_t kSide = 64;  // cells of a drawing

reporting::HeatMap heat_map(const std::string& title, const at::Tensor& matrix) {
  const at::Tensor values = matrix.contiguous();
  const auto* first = values.const_data_ptr<double>();
  return {title, static_cast<size_t>(values.size(0)), static_cast<size_t>(values.size(1)),
          std::vector<double>(first, first + values.numel())};
}

std::string figure(const std::string& caption, const std::vector<std::string>& details,
                   const reporting::HeatMap& map) {
  std::string lines;
  for (const std::string& line : details) lines += "<span>" + html_escaped(line) + "</span>";
  return fmt::format("<figure>{}<figcaption>{}{}</figcaption></figure>\n",
                     svg_heat_map(reduced(map, kSide)), html_escaped(caption), lines);
}

std::string section(const std::string& title, const std::string& text, const std::string& maps) {
  if (maps.empty()) return "";
  return fmt::format("<h3>{}</h3><p>{}</p>\n<div class='maps'>\n{}</div>\n", title, text, maps);
}

std::string readers_text(const Readers& readers) {
  const bool one = readers.first_layer == readers.last_layer;
  return fmt::format("{} {} · {}", one ? "layer" : "layers", readers.layers(),
                     readers.all_heads ? "all heads" : "head " + readers.heads());
}

std::string value_text(double value) {
  if (std::isnan(value)) return "–";
  return std::isinf(value) ? "∞" : fmt::format("{:.3f}", value);
}

std::string term_maps(const SiteReport& site) {
  std::string maps;
  for (const PositionTerm& term : site.terms) {
    const at::Tensor seen = term.scores.masked_select(term.scores.isfinite());
    const std::string caption = readers_text(term.readers);
    maps += figure(
        caption,
        {fmt::format("rank {} of {}", term.rank, term.scores.size(0)),
         fmt::format("{:.3g} to {:.3g}", seen.min().item<double>(), seen.max().item<double>())},
        heat_map(caption, term.scores));
  }
  return section("Position terms of the scores",
                 "Rows are queries and columns are keys, from the first position. "
                 "Orange is above zero, blue below; each map has its own scale.",
                 maps);
}

std::string segment_maps(const SiteReport& site) {
  std::string maps;
  for (const SegmentTerm& term : site.segments) {
    const std::string caption = readers_text(term.readers);
    maps += figure(caption,
                   {fmt::format("{:.3g} to {:.3g}", term.scores.min().item<double>(),
                                term.scores.max().item<double>())},
                   heat_map(caption, term.scores));
  }
  return section("Scores of segments",
                 "Rows are the segments of queries and columns those of keys. "
                 "Orange is above zero, blue below; each map has its own scale.",
                 maps);
}

std::string table_maps(const SiteReport& site) {
  std::string maps;
  for (const OffsetTable& table : site.tables) {
    const std::string caption = table.name + " · " + readers_text(table.readers);
    reporting::HeatMap map = heat_map(caption, table.map.cosines);
    map.full_scale = 1;
    const int64_t last = table.first_offset + table.map.cosines.size(0) - 1;
    maps += figure(
        caption,
        {fmt::format("offsets {} to {}", table.first_offset, last),
         fmt::format("{:.1f} % of pairs above {}", 100 * table.map.share_alike, encoders::kAlike)},
        map);
  }
  return section("Similarity of the offsets' vectors",
                 "Cosine of each pair of offsets (key minus query), from the lowest. "
                 "Orange is 1, blue is -1.",
                 maps);
}

/// log2 of attention [n, n] relative to uniform attention over the keys that a query sees.
at::Tensor against_equal_shares(const at::Tensor& attention) {
  return (attention * attention.gt(0).sum(1, /*keepdim=*/true)).log2();
}

std::vector<std::string> indicator_lines(const encoders::AttentionIndicators& is) {
  return {fmt::format("AIV {} · OPR {}", value_text(is.aiv), value_text(is.opr)),
          fmt::format("SD {:.2g} · DB {}", is.sd, value_text(is.db))};
}

std::string attention_maps(const SiteReport& site) {
  std::string maps;
  for (size_t h = 0; h < site.attention.size(); ++h) {
    const HeadAttention& head = site.attention[h];
    const encoders::AttentionIndicators& is = head.indicators;
    const std::string caption = fmt::format("head {}", h);
    reporting::HeatMap map = heat_map(caption, against_equal_shares(head.probabilities));
    map.full_scale = 2;
    maps += figure(caption, indicator_lines(is), map);
  }
  return section(
      "Attention of the first layer in sentences of one repeated word",
      fmt::format("Means over the heads: {}. ",
                  fmt::join(indicator_lines(site.mean_indicators()), " · ")) +
          "Maps are means over the words, relative to uniform attention: orange is more, blue is "
          "less, with full "
          "colour at four times and a quarter. AIV: share of the variance within diagonals; in an "
          "encoder near 0 if only the offset matters (words near the ends share attention among "
          "fewer). OPR: ordered pairs; 0 if attention falls with the distance, 1 if it grows (0.5 "
          "in a "
          "decoder, whose hidden words count as equal). SD: mean difference between the two "
          "directions. DB: preceding relative to following words.",
      maps);
}

std::string title_of(const std::string& site) {
  if (site == "cross") return "Cross-attention";
  return site == "encoder" ? "Encoder self-attention" : "Decoder self-attention";
}

}  // namespace

std::string position_page(const PositionReport& report) {
  std::string body =
      fmt::format("<p>{} positions; sentences that repeat one of {} random words.</p>\n",
                  report.length, report.words);
  for (const SiteReport& site : report.sites) {
    body += fmt::format("<section><h2>{}: {}</h2>\n", title_of(site.name), html_escaped(site.spec));
    for (const std::string& note : site.notes) body += "<p>" + html_escaped(note) + "</p>\n";
    body += term_maps(site) + segment_maps(site) + table_maps(site) + attention_maps(site) +
            "</section>\n";
  }
  return reporting::report_page("Positions of " + report.model, body);
}

}  // namespace dietmt::inspection
