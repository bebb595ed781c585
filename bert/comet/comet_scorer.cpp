#include "bert/comet/comet_scorer.h"

#include <ATen/ATen.h>
#include <torch/types.h>

#include <algorithm>
#include <numeric>

#include "common/error.h"
#include "encoders/attention/packing.h"

namespace dietmt::bert {
namespace {

using at::Tensor;

constexpr size_t kSegmentsAtOnce = 1024;
constexpr size_t kCandidatesAtOnce = 4096;

// COMET cuts a text two pieces before the end of the table of positions.
constexpr int64_t kUnusedPositions = 2;

}  // namespace

CometScorer::CometScorer(const encoders::CometModel& model, const data::BertTokenizer& tokenizer,
                         int64_t batch_tokens)
    : model_(model), tokenizer_(tokenizer), batch_tokens_(batch_tokens) {}

std::vector<CometScorer::Input> CometScorer::encode(const Texts& texts,
                                                    std::span<const Context> contexts) {
  const int64_t longest = model_.encoder().max_length() - kUnusedPositions;
  std::vector<std::vector<int32_t>> pieces;
  for (const std::string& text : texts) pieces.push_back(tokenizer_.encode(text).ids);
  std::vector<Input> inputs;
  for (const std::vector<int32_t>& own : pieces) {
    data::EncoderInput input = data::encoder_input(own, {}, tokenizer_.special(), longest);
    if (input.cut > 0) ++cut_;
    inputs.push_back({std::move(input.ids)});
  }
  for (size_t i = 0; i < contexts.size(); ++i) {
    Input& input = inputs[i];
    for (size_t t = contexts[i].end; t > contexts[i].begin; --t) {
      std::vector<int32_t> before = pieces[t - 1];
      before.push_back(tokenizer_.special().separate);
      if (input.size() + std::ssize(before) > longest) break;
      input.ids.insert(input.ids.begin() + 1, before.begin(), before.end());
      input.begin += std::ssize(before);
    }
  }
  return inputs;
}

// <s> a </s></s> b </s></s> c </s>. If this is too long, its end is lost, </s> too.
CometScorer::Input CometScorer::joined(std::span<const Input* const> texts) {
  const data::SpecialPieces& special = tokenizer_.special();
  const auto separators = static_cast<size_t>(special.separators);
  std::vector<int32_t> ids = texts.front()->ids;
  for (const Input* text : texts.subspan(1)) {
    ids.insert(ids.end(), separators - 1, special.separate);
    ids.insert(ids.end(), text->ids.begin() + 1, text->ids.end());
  }
  const auto longest = static_cast<size_t>(model_.encoder().max_length());
  if (ids.size() > longest) {
    ++cut_;
    ids.resize(longest);
  }
  return {std::move(ids)};
}

// Equal inputs have one row.
Tensor CometScorer::embed(const std::vector<Input>& inputs) const {
  const at::Device device = model_.encoder().piece_embedding().device();
  std::vector<size_t> order(inputs.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) {
    const int64_t length = inputs[a].size(), other = inputs[b].size();
    return length != other ? length < other : inputs[a] < inputs[b];
  });
  std::vector<const Input*> distinct;
  std::vector<int64_t> rows(inputs.size());
  for (const size_t i : order) {
    if (distinct.empty() || *distinct.back() != inputs[i]) distinct.push_back(&inputs[i]);
    rows[i] = std::ssize(distinct) - 1;
  }
  Tensor vectors = at::empty({std::ssize(distinct), model_.config().encoder.width}, at::kFloat);
  for (size_t begin = 0, end = 0; begin < distinct.size(); begin = end) {
    std::vector<int32_t> pieces;
    std::vector<int64_t> lengths, counted, counts;  // counted: places of tokens
    do {
      const Input& input = *distinct[end++];
      const int64_t first = std::ssize(pieces);
      counted.push_back(first);
      for (int64_t i = input.begin; i < input.size(); ++i) counted.push_back(first + i);
      counts.push_back(input.size() - input.begin + 1);
      pieces.insert(pieces.end(), input.ids.begin(), input.ids.end());
      lengths.push_back(input.size());
    } while (end < distinct.size() && std::ssize(pieces) + distinct[end]->size() <= batch_tokens_);
    const encoders::Packing packing(lengths, device);
    std::optional<encoders::PooledTokens> pooled;
    if (counted.size() < pieces.size())
      pooled = {at::tensor(counted).to(device), encoders::Packing(counts, device)};
    vectors.slice(0, static_cast<int64_t>(begin), static_cast<int64_t>(end))
        .copy_(
            model_.embed(encoders::ids_of(pieces, device), packing, pooled ? &*pooled : nullptr));
  }
  return vectors.index_select(0, at::tensor(rows));
}

std::vector<double> CometScorer::estimate(const Tensor& vectors,
                                          std::span<const Segment> segments) const {
  const at::Device device = model_.encoder().piece_embedding().device();
  std::vector<double> scores;
  for (size_t begin = 0; begin < segments.size(); begin += kSegmentsAtOnce) {
    const auto part = segments.subspan(begin, std::min(kSegmentsAtOnce, segments.size() - begin));
    const auto rows_of = [&](int64_t Segment::*kind) {
      if (part.front().*kind == kNone) return Tensor();
      std::vector<int64_t> rows;
      for (const Segment& segment : part) rows.push_back(segment.*kind);
      return vectors.index_select(0, at::tensor(rows)).to(device);
    };
    const Tensor found = model_
                             .estimate({.translation = rows_of(&Segment::translation),
                                        .source = rows_of(&Segment::source),
                                        .reference = rows_of(&Segment::reference)})
                             .to(at::kCPU);
    for (int64_t i = 0; i < found.size(0); ++i)
      scores.push_back(static_cast<double>(found[i].item<float>()));
  }
  return scores;
}

// The mean over inputs with the source, with the reference, and with both, as far as there are any
// (Rei et al. 2022).
std::vector<double> CometScorer::score_together(const std::vector<Input>& texts,
                                                std::span<const Segment> segments) {
  using Kinds = std::vector<int64_t Segment::*>;
  const bool has_source = segments.front().source != kNone;
  const bool has_reference = segments.front().reference != kNone;
  std::vector<Kinds> combinations;
  if (has_source) combinations.push_back({&Segment::translation, &Segment::source});
  if (has_reference) combinations.push_back({&Segment::translation, &Segment::reference});
  if (has_source && has_reference)
    combinations.push_back({&Segment::translation, &Segment::source, &Segment::reference});
  std::vector<double> means(segments.size(), 0.0);
  for (const Kinds& combination : combinations) {
    std::vector<Input> inputs;
    std::vector<Segment> rows;
    for (const Segment& segment : segments) {
      std::vector<const Input*> parts;
      for (const auto kind : combination)
        parts.push_back(&texts[static_cast<size_t>(segment.*kind)]);
      rows.push_back({.translation = std::ssize(inputs)});
      inputs.push_back(joined(parts));
    }
    const std::vector<double> scores = estimate(embed(inputs), rows);
    for (size_t i = 0; i < means.size(); ++i)
      means[i] += scores[i] / static_cast<double>(combinations.size());
  }
  return means;
}

std::vector<double> CometScorer::score_segments(const Texts& texts,
                                                std::span<const Segment> segments,
                                                std::span<const Context> contexts) {
  const std::vector<Input> inputs = encode(texts, contexts);
  if (!is_unified()) return estimate(embed(inputs), segments);
  std::vector<double> scores;
  for (size_t begin = 0; begin < segments.size(); begin += kSegmentsAtOnce) {
    const auto part = segments.subspan(begin, std::min(kSegmentsAtOnce, segments.size() - begin));
    const std::vector<double> found = score_together(inputs, part);
    scores.insert(scores.end(), found.begin(), found.end());
  }
  return scores;
}

std::vector<std::vector<double>> CometScorer::score(const Texts& sources,
                                                    const std::optional<Texts>& references,
                                                    const std::vector<Texts>& systems,
                                                    const metrics::DocumentContext& context) {
  const torch::NoGradGuard no_grad;
  const encoders::CometConfig& config = model_.config();
  if (config.needs_reference() && !references)
    throw ConfigError("this COMET model compares translations with references");
  if (context.sentences > 0 && is_unified())
    throw ConfigError("this COMET model reads all texts in one input, which has no context");
  Texts texts;
  std::vector<Context> contexts;
  // `of`: the place of the texts that are the context; kNone: the texts themselves.
  const auto add = [&](const Texts& more, int64_t of = kNone) {
    const int64_t first = std::ssize(texts);
    texts.insert(texts.end(), more.begin(), more.end());
    const auto from = static_cast<size_t>(of == kNone ? first : of);
    for (size_t i = 0; context.sentences > 0 && i < more.size(); ++i)
      contexts.push_back({from + i - context.before(i), from + i});
    return first;
  };
  const auto count = static_cast<int64_t>(sources.size());
  const int64_t source = config.reads_source ? add(sources) : kNone;
  const int64_t reference = config.reads_reference && references ? add(*references) : kNone;
  const auto at_row = [](int64_t first, int64_t i) { return first == kNone ? kNone : first + i; };
  std::vector<Segment> segments;
  for (const Texts& system : systems) {
    const int64_t translation = add(system, reference);
    for (int64_t i = 0; i < count; ++i)
      segments.push_back({translation + i, at_row(source, i), at_row(reference, i)});
  }
  const std::vector<double> all = score_segments(texts, segments, contexts);
  std::vector<std::vector<double>> scores;
  for (auto next = all.begin(); next != all.end(); next += count)
    scores.emplace_back(next, next + count);
  scores.resize(systems.size());
  return scores;
}

void CometScorer::add_expected(std::span<const metrics::WeightedCandidates> sentences,
                               std::vector<std::vector<double>>& all) {
  const bool has_references = model_.config().reads_reference;
  Texts texts;
  std::vector<Segment> segments;
  for (const metrics::WeightedCandidates& sentence : sentences) {
    const int64_t source = model_.config().reads_source ? std::ssize(texts) : kNone;
    if (source != kNone) texts.push_back(sentence.source);
    const int64_t first = std::ssize(texts), count = std::ssize(sentence.texts);
    texts.insert(texts.end(), sentence.texts.begin(), sentence.texts.end());
    for (int64_t i = 0; i < count; ++i) {
      if (!has_references) segments.push_back({first + i, source, kNone});
      for (int64_t j = 0; has_references && j < count; ++j)
        segments.push_back({first + i, source, first + j});
    }
  }
  const std::vector<double> scores = score_segments(texts, segments);
  auto next = scores.begin();
  for (const metrics::WeightedCandidates& sentence : sentences) {
    const int64_t count = std::ssize(sentence.texts);
    const auto end = next + (has_references ? count * count : count);
    if (has_references)
      all.push_back(metrics::expected_utilities(sentence.weights, {next, end}));
    else
      all.emplace_back(next, end);
    next = end;
  }
}

std::vector<std::vector<double>> CometScorer::expected(
    std::span<const metrics::WeightedCandidates> sentences) {
  const torch::NoGradGuard no_grad;
  std::vector<std::vector<double>> all;
  for (size_t begin = 0, end = 0; begin < sentences.size(); begin = end) {
    size_t candidates = 0;
    do {
      candidates += sentences[end++].texts.size();
    } while (end < sentences.size() &&
             candidates + sentences[end].texts.size() <= kCandidatesAtOnce);
    add_expected(sentences.subspan(begin, end - begin), all);
  }
  return all;
}

}  // namespace dietmt::bert
