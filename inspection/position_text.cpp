// The report of `dietmt inspect positions` as JSON and as text.
#include <ATen/ATen.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "inspection/position_report.h"

namespace dietmt::inspection {
namespace {

using nlohmann::ordered_json;

/// Six significant digits, which is what fp32 weights give; null if not finite. (std::stod refuses
/// subnormal numbers.)
ordered_json number(double value) {
  if (!std::isfinite(value)) return nullptr;
  return std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr);
}

ordered_json matrix_json(const at::Tensor& matrix) {
  const at::Tensor values = matrix.contiguous();
  const auto* value = values.const_data_ptr<double>();
  ordered_json rows = ordered_json::array();
  for (int64_t r = 0; r < values.size(0); ++r) {
    ordered_json row = ordered_json::array();
    for (int64_t c = 0; c < values.size(1); ++c) row.push_back(number(*value++));
    rows.push_back(std::move(row));
  }
  return rows;
}

ordered_json numbers_json(const std::vector<double>& values) {
  ordered_json numbers = ordered_json::array();
  for (const double value : values) numbers.push_back(number(value));
  return numbers;
}

ordered_json indicators_json(const encoders::AttentionIndicators& is) {
  return {{"aiv", number(is.aiv)},
          {"opr", number(is.opr)},
          {"sd", number(is.sd)},
          {"db", number(is.db)}};
}

ordered_json readers_json(const Readers& readers) {
  ordered_json json;
  json["layers"] = {readers.first_layer, readers.last_layer};
  json["head"] = readers.all_heads ? ordered_json("all") : ordered_json(readers.head);
  return json;
}

ordered_json site_json(const SiteReport& site) {
  ordered_json json{{"site", site.name}, {"position", site.spec}, {"notes", site.notes}};
  ordered_json& terms = json["position_scores"] = ordered_json::array();
  for (const PositionTerm& term : site.terms) {
    ordered_json item = readers_json(term.readers);
    item["rank"] = term.rank;
    item["scores"] = matrix_json(term.scores);
    terms.push_back(std::move(item));
  }
  ordered_json& segments = json["segment_scores"] = ordered_json::array();
  for (const SegmentTerm& term : site.segments) {
    ordered_json item = readers_json(term.readers);
    item["scores"] = matrix_json(term.scores);
    segments.push_back(std::move(item));
  }
  ordered_json& tables = json["relative_tables"] = ordered_json::array();
  for (const OffsetTable& table : site.tables) {
    ordered_json item = readers_json(table.readers);
    item["table"] = table.name;
    item["first_offset"] = table.first_offset;
    item["share_above_0.95"] = number(table.map.share_alike);
    item["cosines"] = matrix_json(table.map.cosines);
    tables.push_back(std::move(item));
  }
  ordered_json& heads = json["identical_words"] = ordered_json::array();
  for (size_t h = 0; h < site.attention.size(); ++h) {
    const encoders::AttentionIndicators& is = site.attention[h].indicators;
    ordered_json head = {{"head", h}};
    head.update(indicators_json(is));
    head["opr_by_reach"] = numbers_json(is.opr_by_reach);
    head["db_by_reach"] = numbers_json(is.db_by_reach);
    head["attention"] = matrix_json(site.attention[h].probabilities);
    heads.push_back(std::move(head));
  }
  if (!site.attention.empty())
    json["identical_words_mean"] = indicators_json(site.mean_indicators());
  return json;
}

}  // namespace

ordered_json position_json(const PositionReport& report) {
  ordered_json json{{"model", report.model}, {"length", report.length}, {"words", report.words}};
  ordered_json& sites = json["sites"] = ordered_json::array();
  for (const SiteReport& site : report.sites) sites.push_back(site_json(site));
  return json;
}

std::string position_text(const PositionReport& report) {
  std::string terms = "attention\tlayers\thead\trank of position scores\n";
  std::string segments = "attention\tlayers\thead\tsegments of query and key\tE_S\n";
  std::string tables = "attention\tlayers\thead\ttable\tshare above 0.95\n";
  std::string heads = "attention\thead\tAIV\tOPR\tSD\tDB\n";
  const std::string no_terms = terms, no_segments = segments, no_tables = tables, no_heads = heads;
  for (const SiteReport& site : report.sites) {
    for (const PositionTerm& term : site.terms)
      terms += fmt::format("{}\t{}\t{}\t{}\n", site.name, term.readers.layers(),
                           term.readers.heads(), term.rank);
    for (const SegmentTerm& term : site.segments)
      for (int64_t i = 0; i < term.scores.size(0); ++i)
        for (int64_t j = 0; j < term.scores.size(1); ++j)
          segments += fmt::format("{}\t{}\t{}\t{},{}\t{:.4f}\n", site.name, term.readers.layers(),
                                  term.readers.heads(), i, j, term.scores[i][j].item<double>());
    for (const OffsetTable& table : site.tables)
      tables += fmt::format("{}\t{}\t{}\t{}\t{:.4f}\n", site.name, table.readers.layers(),
                            table.readers.heads(), table.name, table.map.share_alike);
    const auto add_indicators = [&](const std::string& head,
                                    const encoders::AttentionIndicators& is) {
      heads += fmt::format("{}\t{}\t{:.4f}\t{:.4f}\t{:.4f}\t{:.4f}\n", site.name, head, is.aiv,
                           is.opr, is.sd, is.db);
    };
    for (size_t h = 0; h < site.attention.size(); ++h)
      add_indicators(std::to_string(h), site.attention[h].indicators);
    if (site.attention.size() > 1) add_indicators("mean", site.mean_indicators());
  }
  std::string text;
  const auto add_block = [&](const std::string& block, const std::string& empty) {
    if (block != empty) text += (text.empty() ? "" : "\n") + block;
  };
  add_block(terms, no_terms);
  add_block(segments, no_segments);
  add_block(tables, no_tables);
  add_block(heads, no_heads);
  return text;
}

}  // namespace dietmt::inspection
