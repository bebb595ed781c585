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
        {fmt::format("rank {} of {} · {}", term.rank, term.scores.size(0),
                     encoders::name_of(term.shape.pattern)),
         fmt::format("{:.3g} to {:.3g}", seen.min().item<double>(), seen.max().item<double>())},
        heat_map(caption, term.scores));
  }
  return section("Position terms of the scores",
                 "Rows are queries and columns are keys, from the first position. "
                 "Orange is above zero, blue below; each map has its own scale. Heads are local, "
                 "global (they ignore neighbours), broad, or look at previous or next words.",
                 maps);
}

/// Singular values of the heads of the same layers, relative to the largest: one chart for each run
/// of terms with the same layers.
std::string spectra(const SiteReport& site) {
  std::string charts;
  for (size_t first = 0, end = 0; first < site.terms.size(); first = end) {
    const std::string layers = site.terms[first].readers.layers();
    reporting::Chart chart{"layers " + layers, "singular value", "log10 of its size", {}};
    for (end = first; end < site.terms.size() && site.terms[end].readers.layers() == layers;
         ++end) {
      const PositionTerm& term = site.terms[end];
      reporting::Series series{fmt::format("head {}, rank {}", term.readers.heads(), term.rank),
                               {}};
      for (size_t k = 0; k < term.singular_values.size(); ++k)
        series.points.push_back({static_cast<double>(k + 1),
                                 std::log10(term.singular_values[k] / term.singular_values[0])});
      chart.series.push_back(std::move(series));
    }
    charts += svg_chart(chart);
  }
  if (charts.empty()) return "";
  return "<h3>Rank of the position terms</h3><p>Singular values relative to the largest. The rank "
         "counts those above n times 2<sup>-23</sup>.</p>\n" +
         charts;
}

std::string input_maps(const SiteReport& site) {
  if (!site.input.products.defined()) return "";
  std::string maps = figure("P P^T", {}, heat_map("P P^T", site.input.products)) +
                     figure("P W_Q W_K^T P^T", {"all heads"},
                            heat_map("P W_Q W_K^T P^T", site.input.projected.sum(0)));
  for (int64_t h = 0; h < site.input.projected.size(0); ++h) {
    const std::string caption = fmt::format("P W_Q W_K^T P^T · head {}", h);
    maps += figure(caption, {}, heat_map(caption, site.input.projected[h]));
  }
  return section("Positions that are added to the embeddings",
                 "Dot products of the vectors of positions, and the same after the projections of "
                 "the first layer, without norms and scale.",
                 maps);
}

std::string frequency_charts(const SiteReport& site) {
  std::string charts;
  for (const encoders::Frequencies& one : site.frequencies) {
    reporting::Chart chart{one.name, "m", "log10 of w_m", {{"learned", {}}, {"start", {}}}};
    const at::Tensor learned = one.values.abs().log10(), start = one.start.log10();
    for (int64_t m = 0; m < learned.size(0); ++m) {
      const auto x = static_cast<double>(m);
      chart.series[0].points.push_back({x, learned[m].item<double>()});
      chart.series[1].points.push_back({x, start[m].item<double>()});
    }
    charts += svg_chart(chart);
  }
  return charts.empty() ? "" : "<h3>Learned frequencies</h3>\n" + charts;
}

std::string part_maps(const SiteReport& site) {
  const encoders::FirstScores& scores = site.first_scores;
  std::string maps;
  for (size_t h = 0; h < scores.rank.size(); ++h) {
    const auto head = static_cast<int64_t>(h);
    for (size_t part = 0; part < encoders::kScoreParts.size(); ++part) {
      const auto p = static_cast<int64_t>(part);
      const std::string caption = fmt::format("{} · head {}", encoders::kScoreParts[part], h);
      maps += figure(
          caption,
          {fmt::format("{:.1f} % of the variance", 100 * scores.shares[p][head].item<double>()),
           fmt::format("rank {}, {} without terms, Dh {}", scores.rank[h],
                       scores.rank_without_terms[h], site.head_width)},
          heat_map(caption, scores.maps[p][head]));
    }
  }
  return section("Parts of the first layer's scores",
                 "Words and positions of the query and the key, before the softmax, as means over "
                 "sentences of random words. The ranks are those of one sentence.",
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
    if (!table.map.products.defined()) continue;
    maps += figure(caption, {"dot products"}, heat_map(caption, table.map.products));
  }
  return section("Similarity of the offsets' vectors",
                 "Cosine of each pair of offsets (key minus query), from the lowest, where orange "
                 "is 1 and blue is -1, and their dot products.",
                 maps);
}

/// log2 of attention [n, n] relative to uniform attention over the keys that a query sees.
at::Tensor against_equal_shares(const at::Tensor& attention) {
  return (attention * attention.gt(0).sum(1, /*keepdim=*/true)).log2();
}

std::vector<std::string> indicator_lines(const encoders::AttentionIndicators& is) {
  return {fmt::format("AIV {} · OPR {}", value_text(is.aiv), value_text(is.opr)),
          fmt::format("SD {:.2g} · DB {} · inner AIV {}", is.sd, value_text(is.db),
                      value_text(is.inner_aiv))};
}

std::string attention_maps(const std::vector<HeadAttention>& attention, const std::string& where) {
  std::string maps;
  for (size_t h = 0; h < attention.size(); ++h) {
    const HeadAttention& head = attention[h];
    const encoders::AttentionIndicators& is = head.indicators;
    const std::string caption =
        fmt::format("head {} · {}", h, encoders::name_of(head.shape.pattern));
    reporting::HeatMap map = heat_map(caption, against_equal_shares(head.probabilities));
    map.full_scale = 2;
    maps += figure(caption, indicator_lines(is), map);
  }
  return section(
      "Attention of the first layer in sentences of one repeated word" + where,
      fmt::format("Means over the heads: {}. ",
                  fmt::join(indicator_lines(mean_of(attention)), " · ")) +
          "Maps are means over the words, relative to uniform attention: orange is more, blue is "
          "less, with full "
          "colour at four times and a quarter. AIV: share of the variance within diagonals; in an "
          "encoder near 0 if only the offset matters (words near the ends share attention among "
          "fewer). OPR: ordered pairs; 0 if attention falls with the distance, 1 if it grows (0.5 "
          "in a "
          "decoder, whose hidden words count as equal). SD: mean difference between the two "
          "directions. DB: preceding relative to following words. Inner AIV: AIV without the first "
          "and "
          "the last position.",
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
    body += term_maps(site) + spectra(site) + segment_maps(site) + table_maps(site) +
            input_maps(site) + frequency_charts(site) + part_maps(site) +
            attention_maps(site.attention, "") +
            attention_maps(site.framed_attention, ", between [CLS] and [SEP]") + "</section>\n";
  }
  return reporting::report_page("Positions of " + report.model, body);
}

}  // namespace dietmt::inspection
