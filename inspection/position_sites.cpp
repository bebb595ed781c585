#include <ATen/ATen.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/types.h>

#include <algorithm>
#include <limits>

#include "inspection/position_report.h"

namespace dietmt::inspection {
namespace {

using at::Tensor;
using encoders::InspectedStack;
using encoders::ScoreTerms;

bool same(const Tensor& a, const Tensor& b) {
  if (a.defined() != b.defined()) return false;
  return !a.defined() || at::equal(a, b);
}

/// Visits the values that heads read, once for each run of equal layers. values: [L] of [H|1, ...],
/// or undefined. use(readers, values of one head).
template <typename Use>
void for_each_reader(const std::vector<Tensor>& values, const Use& use) {
  const auto layers = static_cast<int64_t>(values.size());
  for (int64_t first = 0, last = 0; first < layers; first = last + 1) {
    const Tensor& here = values[static_cast<size_t>(first)];
    for (last = first; last + 1 < layers && same(values[static_cast<size_t>(last) + 1], here);)
      ++last;
    if (!here.defined()) continue;
    const bool all_heads = here.size(0) == 1 || at::equal(here, here[0].expand_as(here));
    for (int64_t h = 0; h < (all_heads ? 1 : here.size(0)); ++h)
      use(Readers{first, last, h, all_heads}, here[h]);
  }
}

std::vector<PositionTerm> terms_of(const std::vector<Tensor>& scores, bool causal) {
  std::vector<PositionTerm> terms;
  for_each_reader(scores, [&](const Readers& readers, const Tensor& matrix) {
    if (matrix.count_nonzero().item<int64_t>() == 0) return;
    Tensor seen = matrix.to(at::kDouble);
    if (causal)
      seen = seen.masked_fill(at::ones_like(seen, at::kBool).triu(1),
                              std::numeric_limits<double>::quiet_NaN());
    encoders::Spectrum spectrum = encoders::spectrum(matrix);
    terms.push_back(
        {readers, seen, spectrum.rank, std::move(spectrum.values),
         matrix.size(0) > 2 ? encoders::shape_of_scores(matrix, causal) : encoders::HeadShape()});
  });
  return terms;
}

std::vector<SegmentTerm> segments_of(const std::vector<ScoreTerms>& layers) {
  std::vector<Tensor> values;
  for (const ScoreTerms& terms : layers) values.push_back(terms.segment_bias);
  std::vector<SegmentTerm> segments;
  for_each_reader(values, [&](const Readers& readers, const Tensor& matrix) {
    segments.push_back({readers, matrix.to(at::kDouble)});
  });
  return segments;
}

/// The rows of a table [2C+1, Dh] whose offsets occur among `length` positions.
OffsetTable offset_table(const Readers& readers, const std::string& name, const Tensor& table,
                         int64_t length, bool causal) {
  const int64_t clip = (table.size(0) - 1) / 2;
  const int64_t reach = std::min(clip, length - 1);
  const int64_t count = causal ? reach + 1 : 2 * reach + 1;
  return {readers, name, -reach, encoders::cosine_map(table.narrow(0, clip - reach, count))};
}

std::vector<OffsetTable> tables_of(const std::vector<ScoreTerms>& layers, int64_t length,
                                   bool causal) {
  struct Field {
    const char* name;
    Tensor ScoreTerms::*table;
  };
  std::vector<OffsetTable> tables;
  for (const Field& field : {Field{"relative keys", &ScoreTerms::relative_keys},
                             Field{"relative queries", &ScoreTerms::relative_queries},
                             Field{"relative values", &ScoreTerms::relative_values}}) {
    std::vector<Tensor> values;
    for (const ScoreTerms& terms : layers) values.push_back(terms.*field.table);
    for_each_reader(values, [&](const Readers& readers, const Tensor& table) {
      const bool is_absent = table.count_nonzero().item<int64_t>() == 0;  // in a mix of heads
      if (table.size(0) > 1 && !is_absent)
        tables.push_back(offset_table(readers, field.name, table, length, causal));
    });
  }
  return tables;
}

void add_content_note(const std::vector<ScoreTerms>& layers, std::vector<std::string>& notes) {
  const std::vector<std::string> names = encoders::terms_with_content(layers.front());
  if (names.empty()) return;
  notes.push_back(fmt::format("The maps of position terms leave out products with words: {}.",
                              fmt::join(names, ", ")));
}

/// Notes for the reader of the maps.
std::vector<std::string> notes_of(const std::vector<ScoreTerms>& layers, bool input_positions,
                                  const InspectedStack& stack) {
  std::vector<std::string> notes;
  if (input_positions && stack.reads_plain_positions())
    notes.emplace_back(
        "Positions are added to the embeddings. The map of layer 0 shows their part of its scores; "
        "deeper layers see them mixed with words.");
  if (input_positions && !stack.reads_plain_positions())
    notes.emplace_back(
        "Positions are added to the embeddings, and a norm mixes them with words before the "
        "first scores, so there is no separate part to show.");
  add_content_note(layers, notes);
  if (stack.causal)
    notes.emplace_back(
        "A position sees itself and earlier ones; ranks are those of whole matrices.");
  return notes;
}

std::vector<HeadAttention> heads_of(const encoders::Probe& probe, int64_t heads, bool causal) {
  std::vector<HeadAttention> found;
  for (int64_t h = 0; probe.attention.defined() && h < heads; ++h)
    found.push_back({probe.attention[h], encoders::attention_indicators(probe.attention[h]),
                     probe.scores[h], encoders::head_shape(probe.attention[h], causal)});
  return found;
}

std::string range(int64_t first, int64_t last) {
  return first == last ? std::to_string(first) : fmt::format("{}-{}", first, last);
}

}  // namespace

std::string Readers::layers() const { return range(first_layer, last_layer); }
std::string Readers::heads() const { return all_heads ? "all" : std::to_string(head); }

encoders::AttentionIndicators mean_of(const std::vector<HeadAttention>& heads) {
  std::vector<encoders::AttentionIndicators> all;
  for (const HeadAttention& head : heads) all.push_back(head.indicators);
  return encoders::mean_indicators(all);
}

std::vector<std::pair<std::string, double>> named(const encoders::AttentionIndicators& indicators) {
  return {{"aiv", indicators.aiv},
          {"opr", indicators.opr},
          {"sd", indicators.sd},
          {"db", indicators.db},
          {"inner_aiv", indicators.inner_aiv}};
}

SiteReport self_attention_report(const std::string& name, const InspectedStack& stack,
                                 const Tensor& words, int64_t length, const Tensor& ends) {
  const torch::NoGradGuard no_grad;
  const Tensor nothing = at::zeros({length, stack.width});
  const std::vector<ScoreTerms> layers = stack.position.lower({length, length}, nothing);
  const Tensor positions = at::arange(length, at::kLong);
  const Tensor embedded = stack.position.embed(nothing, positions, at::zeros_like(positions));
  const bool input_positions = !at::equal(embedded, embedded[0].expand_as(embedded));

  SiteReport site{name,
                  stack.position.spec(),
                  notes_of(layers, input_positions, stack),
                  terms_of(encoders::position_scores(stack, length), stack.causal),
                  segments_of(layers),
                  tables_of(layers, length, stack.causal),
                  {}};
  site.attention =
      heads_of(encoders::probe_identical_words(stack, words, length), stack.heads, stack.causal);
  if (ends.defined() && length > 2)
    site.framed_attention = heads_of(encoders::probe_identical_words(stack, words, length, ends),
                                     stack.heads, stack.causal);
  site.input = encoders::input_positions(stack, length);
  site.frequencies = encoders::learned_frequencies(stack.position);
  site.first_scores = encoders::first_scores(stack, words, length);
  site.head_width = stack.head_width();
  return site;
}

SiteReport cross_attention_report(const encoders::PositionScheme& position, int64_t heads,
                                  int64_t width, int64_t head_width, int64_t length) {
  const torch::NoGradGuard no_grad;
  const encoders::Extent extent{length, length};
  const std::vector<ScoreTerms> layers = position.lower(extent, at::zeros({length, width}));
  std::vector<Tensor> scores;
  for (const ScoreTerms& terms : layers)
    scores.push_back(encoders::scores_without_content(terms, extent, heads, head_width));
  SiteReport site{
      "cross", position.spec(), {}, terms_of(scores, false), {}, tables_of(layers, length, false),
      {}};
  add_content_note(layers, site.notes);
  if (site.terms.empty() && site.notes.empty())
    site.notes.emplace_back("Cross-attention has no position encoding.");
  return site;
}

}  // namespace dietmt::inspection
