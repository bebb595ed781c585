#include "tools/position_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "common/error.h"
#include "common/random.h"
#include "encoders/analysis/position_scores.h"
#include "encoders/transformer/stacks.h"

namespace dietmt::tools {
namespace {

using at::Tensor;
using encoders::InspectedStack;
using encoders::ScoreTerms;

bool same(const Tensor& a, const Tensor& b) {
  if (a.defined() != b.defined()) return false;
  return !a.defined() || at::equal(a, b);
}

/// What the heads of runs of equal layers read. values: [L] of [H|1, ...], or undefined.
/// use(readers, values of one head).
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
    terms.push_back({readers, seen, encoders::numeric_rank(matrix)});
  });
  return terms;
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
      if (table.size(0) > 1)
        tables.push_back(offset_table(readers, field.name, table, length, causal));
    });
  }
  return tables;
}

void add_content_note(const std::vector<ScoreTerms>& layers, std::vector<std::string>& notes) {
  const std::vector<std::string> names = encoders::terms_with_content(layers.front());
  if (names.empty()) return;
  notes.push_back(
      fmt::format("Acts through the words, so maps of position scores leave it out: {}.",
                  fmt::join(names, ", ")));
}

/// What a reader must know to read the maps.
std::vector<std::string> notes_of(const std::vector<ScoreTerms>& layers, bool input_positions,
                                  const InspectedStack& stack) {
  std::vector<std::string> notes;
  if (input_positions && stack.norm == encoders::NormPlacement::kPost)
    notes.emplace_back(
        "Positions are added to the embeddings: the map of layer 0 is their part of its scores; "
        "deeper layers see them mixed with words.");
  if (input_positions && stack.norm == encoders::NormPlacement::kPre)
    notes.emplace_back(
        "Positions are added to the embeddings, and a layer norm mixes them with words before the "
        "first scores: they have no part of their own to show.");
  add_content_note(layers, notes);
  if (stack.causal)
    notes.emplace_back("A position sees itself and those before it; ranks are of whole matrices.");
  return notes;
}

/// The pieces of a vocabulary that stand for text, in random order.
std::vector<int64_t> shuffled_pieces(const data::Tokenizer& tokenizer, int64_t seed) {
  std::vector<int64_t> ids;
  for (int32_t id = 0; id < tokenizer.vocabulary_size(); ++id) {
    if (id != tokenizer.unknown_id() && id != tokenizer.begin_id() && id != tokenizer.end_id())
      ids.push_back(id);
  }
  Random(random_key(static_cast<uint64_t>(seed), 0)).shuffle(ids);
  return ids;
}

/// The first `words` of `pieces` as the model embeds them: [words, D].
Tensor embeddings(const nmt::TranslationModel& model, const std::string& table,
                  const std::vector<int64_t>& pieces, int64_t words) {
  const auto parameters = model.named_parameters();
  const Tensor& weight = parameters[parameters.contains(table) ? table : "source_embedding"];
  const Tensor ids = at::tensor(pieces, at::kLong).narrow(0, 0, words);
  return weight.detach().index_select(0, ids) *
         std::sqrt(static_cast<double>(model.config().width));
}

SiteReport self_attention_report(const std::string& name, const InspectedStack& stack,
                                 const Tensor& words, int64_t length) {
  const torch::NoGradGuard no_grad;
  const Tensor nothing = at::zeros({length, stack.width});
  const std::vector<ScoreTerms> layers = stack.position.lower({0, length, length}, nothing);
  const Tensor embedded = stack.position.embed(nothing, at::arange(length, at::kLong));
  const bool input_positions = embedded.count_nonzero().item<int64_t>() > 0;

  SiteReport site{name,
                  stack.position.spec(),
                  notes_of(layers, input_positions, stack),
                  terms_of(encoders::position_scores(stack, length), stack.causal),
                  tables_of(layers, length, stack.causal),
                  {}};
  const Tensor attention = encoders::identical_word_attention(stack, words, length);
  for (int64_t h = 0; attention.defined() && h < stack.heads; ++h)
    site.attention.push_back({attention[h], encoders::attention_indicators(attention[h])});
  return site;
}

SiteReport cross_attention_report(const encoders::PositionScheme& position,
                                  const nmt::ModelConfig& config, int64_t length) {
  const torch::NoGradGuard no_grad;
  const encoders::Extent extent{0, length, length};
  const std::vector<ScoreTerms> layers = position.lower(extent, at::zeros({length, config.width}));
  std::vector<Tensor> scores;
  for (const ScoreTerms& terms : layers)
    scores.push_back(
        encoders::scores_without_content(terms, extent, config.heads, config.width / config.heads));
  SiteReport site{
      "cross", position.spec(), {}, terms_of(scores, false), tables_of(layers, length, false), {}};
  add_content_note(layers, site.notes);
  if (site.terms.empty() && site.notes.empty())
    site.notes.emplace_back("Cross-attention knows no positions.");
  return site;
}

void check(const nmt::TranslationModel& model, const PositionReportOptions& options) {
  const int64_t longest =
      std::min({model.max_source_length(), model.max_target_length(), int64_t{1024}});
  std::vector<std::string> problems;
  if (options.length < 2 || options.length > longest)
    problems.push_back(
        fmt::format("--length {}: a number from 2 to {} is needed", options.length, longest));
  if (options.words < 1)
    problems.push_back(fmt::format("--words {}: a number from 1 is needed", options.words));
  throw_if_any(problems);
}

std::string range(int64_t first, int64_t last) {
  return first == last ? std::to_string(first) : fmt::format("{}-{}", first, last);
}

}  // namespace

std::string Readers::layers() const { return range(first_layer, last_layer); }
std::string Readers::heads() const { return all_heads ? "all" : std::to_string(head); }

PositionReport position_report(const nmt::LoadedModel& loaded,
                               const PositionReportOptions& options) {
  const nmt::TranslationModel& model = *loaded.model;
  check(model, options);
  const nmt::ModelConfig& config = model.config();
  const auto children = model.named_children();
  const auto& encoder = *children["encoder"]->as<encoders::EncoderStack>();
  const auto& decoder = *children["decoder"]->as<encoders::DecoderStack>();
  const auto norm =
      config.norm == "pre" ? encoders::NormPlacement::kPre : encoders::NormPlacement::kPost;
  const InspectedStack encoder_stack{encoder, encoder.position(), config.heads, config.width, norm,
                                     false};
  const InspectedStack decoder_stack{decoder, decoder.position(), config.heads, config.width, norm,
                                     true};
  const auto source = shuffled_pieces(*loaded.source_tokenizer, options.seed);
  const auto target = shuffled_pieces(*loaded.target_tokenizer, options.seed);
  const int64_t words = std::min(
      {options.words, static_cast<int64_t>(source.size()), static_cast<int64_t>(target.size())});
  PositionReport report{loaded.directory.string(), options.length, words, {}};
  report.sites.push_back(self_attention_report("encoder", encoder_stack,
                                               embeddings(model, "source_embedding", source, words),
                                               options.length));
  report.sites.push_back(self_attention_report("decoder", decoder_stack,
                                               embeddings(model, "target_embedding", target, words),
                                               options.length));
  report.sites.push_back(cross_attention_report(decoder.cross_position(), config, options.length));
  return report;
}

}  // namespace dietmt::tools
