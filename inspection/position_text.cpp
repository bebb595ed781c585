// The report of `dietmt inspect positions` as JSON and as text.
#include <ATen/ATen.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "common/text_io.h"
#include "inspection/position_report.h"

namespace dietmt::inspection {
namespace {

using nlohmann::ordered_json;

const char* pattern_of(const encoders::HeadShape& shape) {
  return encoders::name_of(shape.pattern);
}

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

ordered_json indicators_json(const encoders::AttentionIndicators& indicators) {
  ordered_json json;
  for (const auto& [name, value] : named(indicators)) json[name] = number(value);
  return json;
}

ordered_json readers_json(const Readers& readers) {
  ordered_json json;
  json["layers"] = {readers.first_layer, readers.last_layer};
  json["head"] = readers.all_heads ? ordered_json("all") : ordered_json(readers.head);
  return json;
}

ordered_json vector_json(const at::Tensor& values) {  // [n] double
  const at::Tensor all = values.contiguous();
  const auto* first = all.const_data_ptr<double>();
  return numbers_json({first, first + all.numel()});
}

ordered_json shape_json(const encoders::HeadShape& shape) {
  return {{"pattern", pattern_of(shape)},
          {"near", number(shape.near)},
          {"direction", number(shape.direction)}};
}

ordered_json attention_json(const std::vector<HeadAttention>& attention) {
  ordered_json heads = ordered_json::array();
  for (size_t h = 0; h < attention.size(); ++h) {
    const encoders::AttentionIndicators& is = attention[h].indicators;
    ordered_json head = {{"head", h}};
    head.update(indicators_json(is));
    head.update(shape_json(attention[h].shape));
    head["opr_by_reach"] = numbers_json(is.opr_by_reach);
    head["db_by_reach"] = numbers_json(is.db_by_reach);
    head["attention"] = matrix_json(attention[h].probabilities);
    if (attention[h].scores.defined()) head["scores"] = matrix_json(attention[h].scores);
    heads.push_back(std::move(head));
  }
  return heads;
}

// Several matrices a head are written for sentences of up to so many words: of 1,024 words they
// would be hundreds of megabytes of text.
constexpr int64_t kMostMapped = 256;

ordered_json input_json(const encoders::InputPositions& input) {
  ordered_json json = {{"products", matrix_json(input.products)},
                       {"projected", matrix_json(input.projected.sum(0))}};
  if (input.products.size(0) > kMostMapped) return json;
  ordered_json& heads = json["projected_by_head"] = ordered_json::array();
  for (const at::Tensor& head : input.projected.unbind()) heads.push_back(matrix_json(head));
  return json;
}

ordered_json frequencies_json(const std::vector<encoders::Frequencies>& all) {
  ordered_json items = ordered_json::array();
  for (const encoders::Frequencies& one : all)
    items.push_back({{"parameter", one.name},
                     {"frequencies", vector_json(one.values)},
                     {"start", vector_json(one.start)}});
  return items;
}

ordered_json first_scores_json(const encoders::FirstScores& scores, int64_t head_width) {
  ordered_json heads = ordered_json::array();
  for (size_t h = 0; h < scores.rank.size(); ++h) {
    const auto head = static_cast<int64_t>(h);
    ordered_json item = {{"head", h},
                         {"rank", scores.rank[h]},
                         {"rank_without_terms", scores.rank_without_terms[h]}};
    for (size_t part = 0; part < encoders::kScoreParts.size(); ++part) {
      const auto p = static_cast<int64_t>(part);
      item["shares"][encoders::kScoreParts[part]] = number(scores.shares[p][head].item<double>());
      if (scores.maps.size(-1) <= kMostMapped)
        item["maps"][encoders::kScoreParts[part]] = matrix_json(scores.maps[p][head]);
    }
    heads.push_back(std::move(item));
  }
  return {{"head_width", head_width}, {"heads", heads}};
}

ordered_json site_json(const SiteReport& site) {
  ordered_json json{{"site", site.name}, {"position", site.spec}, {"notes", site.notes}};
  ordered_json& terms = json["position_scores"] = ordered_json::array();
  for (const PositionTerm& term : site.terms) {
    ordered_json item = readers_json(term.readers);
    item["rank"] = term.rank;
    item["singular_values"] = numbers_json(term.singular_values);
    item.update(shape_json(term.shape));
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
    if (table.map.products.defined()) item["products"] = matrix_json(table.map.products);
    tables.push_back(std::move(item));
  }
  json["identical_words"] = attention_json(site.attention);
  if (!site.attention.empty())
    json["identical_words_mean"] = indicators_json(site.mean_indicators());
  if (!site.framed_attention.empty()) {
    json["framed_words"] = attention_json(site.framed_attention);
    json["framed_words_mean"] = indicators_json(mean_of(site.framed_attention));
  }
  if (site.input.products.defined()) json["input_positions"] = input_json(site.input);
  if (!site.frequencies.empty()) json["frequencies"] = frequencies_json(site.frequencies);
  if (!site.first_scores.rank.empty())
    json["first_scores"] = first_scores_json(site.first_scores, site.head_width);
  return json;
}

}  // namespace

ordered_json position_json(const PositionReport& report) {
  ordered_json json{{"model", replace_invalid_utf8(report.model)},  // a name need not be UTF-8
                    {"length", report.length},
                    {"words", report.words}};
  ordered_json& sites = json["sites"] = ordered_json::array();
  for (const SiteReport& site : report.sites) sites.push_back(site_json(site));
  return json;
}

namespace {

/// Lines of one table below its heading.
struct TextTable {
  std::string heading;
  std::string lines = {};
};

std::string readers_of(const SiteReport& site, const Readers& readers) {
  return site.name + '\t' + readers.layers() + '\t' + readers.heads() + '\t';
}

void add_segments(const SiteReport& site, std::string& lines) {
  for (const SegmentTerm& term : site.segments)
    for (int64_t i = 0; i < term.scores.size(0); ++i)
      for (int64_t j = 0; j < term.scores.size(1); ++j)
        lines += readers_of(site, term.readers) +
                 fmt::format("{},{}\t{:.4f}\n", i, j, term.scores[i][j].item<double>());
}

void add_shares(const SiteReport& site, std::string& lines) {
  const encoders::FirstScores& scores = site.first_scores;
  for (size_t h = 0; h < scores.rank.size(); ++h) {
    lines += fmt::format("{}\t{}", site.name, h);
    for (int64_t part = 0; part < scores.shares.size(0); ++part)
      lines += fmt::format("\t{:.4f}", scores.shares[part][static_cast<int64_t>(h)].item<double>());
    lines += fmt::format("\t{}\t{}\t{}\n", scores.rank[h], scores.rank_without_terms[h],
                         site.head_width);
  }
}

void add_heads(const SiteReport& site, const std::vector<HeadAttention>& heads,
               std::string& lines) {
  const auto add = [&](const std::string& head, const encoders::AttentionIndicators& is,
                       const std::string& pattern) {
    lines += fmt::format("{}\t{}\t{:.4f}\t{:.4f}\t{:.4f}\t{:.4f}\t{:.4f}\t{}\n", site.name, head,
                         is.aiv, is.opr, is.sd, is.db, is.inner_aiv, pattern);
  };
  for (size_t h = 0; h < heads.size(); ++h)
    add(std::to_string(h), heads[h].indicators, pattern_of(heads[h].shape));
  if (heads.size() > 1) add("mean", mean_of(heads), "");
}

}  // namespace

std::string position_text(const PositionReport& report) {
  const std::string indicators = "\thead\tAIV\tOPR\tSD\tDB\tinner AIV\tpattern\n";
  TextTable terms{"attention\tlayers\thead\trank of position scores\tpattern\n"};
  TextTable segments{"attention\tlayers\thead\tsegments of query and key\tE_S\n"};
  TextTable tables{"attention\tlayers\thead\ttable\tshare above 0.95\n"};
  TextTable shares{
      "attention\thead\tword-word\tword-position\tposition-word\t"
      "position-position\trank\trank without terms\tDh\n"};
  TextTable heads{"attention" + indicators};
  TextTable framed{"attention with [CLS] and [SEP]" + indicators};
  for (const SiteReport& site : report.sites) {
    for (const PositionTerm& term : site.terms)
      terms.lines += readers_of(site, term.readers) +
                     fmt::format("{}\t{}\n", term.rank, pattern_of(term.shape));
    add_segments(site, segments.lines);
    for (const OffsetTable& table : site.tables)
      tables.lines += readers_of(site, table.readers) +
                      fmt::format("{}\t{:.4f}\n", table.name, table.map.share_alike);
    add_shares(site, shares.lines);
    add_heads(site, site.attention, heads.lines);
    add_heads(site, site.framed_attention, framed.lines);
  }
  std::string text;
  for (const TextTable* table : {&terms, &segments, &tables, &shares, &heads, &framed})
    if (!table->lines.empty()) text += (text.empty() ? "" : "\n") + table->heading + table->lines;
  return text;
}

}  // namespace dietmt::inspection
