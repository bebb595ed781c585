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
using encoders::CometVectors;

constexpr int64_t kSegmentsAtOnce = 1024;  // of the estimator

// COMET cuts a text two pieces before the end of the table of positions.
constexpr int64_t kUnusedPositions = 2;

Tensor rows_of(const Tensor& vectors, int64_t begin, int64_t end, at::Device device) {
  return vectors.defined() ? vectors.slice(0, begin, end).to(device) : Tensor();
}

}  // namespace

CometScorer::CometScorer(const encoders::CometModel& model, const data::BertTokenizer& tokenizer,
                         int64_t batch_tokens)
    : model_(model), tokenizer_(tokenizer), batch_tokens_(batch_tokens) {}

std::vector<CometScorer::Input> CometScorer::encode(const Texts& texts) {
  const int64_t longest = model_.encoder().max_length() - kUnusedPositions;
  std::vector<Input> inputs;
  inputs.reserve(texts.size());
  for (const std::string& text : texts) {
    data::EncoderInput input =
        data::encoder_input(tokenizer_.encode(text).ids, {}, tokenizer_.special(), longest);
    if (input.cut > 0) ++cut_;
    inputs.push_back(std::move(input.ids));
  }
  return inputs;
}

// <s> a </s></s> b </s></s> c </s>. If this is too long, its end is lost, </s> too.
CometScorer::Input CometScorer::joined(std::span<const Input* const> texts) {
  const data::SpecialPieces& special = tokenizer_.special();
  const auto separators = static_cast<size_t>(special.separators);
  Input input = *texts.front();
  for (const Input* text : texts.subspan(1)) {
    input.insert(input.end(), separators - 1, special.separate);
    input.insert(input.end(), text->begin() + 1, text->end());
  }
  const auto longest = static_cast<size_t>(model_.encoder().max_length());
  if (input.size() > longest) {
    ++cut_;
    input.resize(longest);
  }
  return input;
}

Tensor CometScorer::embed(const std::vector<Input>& inputs) const {
  const at::Device device = model_.encoder().piece_embedding().device();
  std::vector<size_t> order(inputs.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return inputs[i].size(); });
  const auto count = static_cast<int64_t>(inputs.size());
  Tensor vectors = at::empty({count, model_.config().encoder.width}, at::kFloat);
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    Input pieces;
    std::vector<int64_t> lengths, rows;
    do {
      const Input& input = inputs[order[end]];
      pieces.insert(pieces.end(), input.begin(), input.end());
      lengths.push_back(std::ssize(input));
      rows.push_back(static_cast<int64_t>(order[end++]));
    } while (end < order.size() &&
             std::ssize(pieces) + std::ssize(inputs[order[end]]) <= batch_tokens_);
    const encoders::Packing packing(lengths, device);
    vectors.index_copy_(0, at::tensor(rows),
                        model_.embed(encoders::ids_of(pieces, device), packing).to(at::kCPU));
  }
  return vectors;
}

std::vector<double> CometScorer::estimate(const CometVectors& vectors) const {
  const at::Device device = model_.encoder().piece_embedding().device();
  const int64_t count = vectors.translation.size(0);
  std::vector<double> scores;
  for (int64_t begin = 0; begin < count; begin += kSegmentsAtOnce) {
    const int64_t end = std::min(begin + kSegmentsAtOnce, count);
    const Tensor part = model_
                            .estimate({rows_of(vectors.translation, begin, end, device),
                                       rows_of(vectors.source, begin, end, device),
                                       rows_of(vectors.reference, begin, end, device)})
                            .to(at::kCPU);
    for (int64_t i = 0; i < end - begin; ++i)
      scores.push_back(static_cast<double>(part[i].item<float>()));
  }
  return scores;
}

// The mean over inputs with the source, with the reference, and with both, as far as there are any
// (Rei et al. 2022).
std::vector<double> CometScorer::score_together(const std::vector<Input>& translations,
                                                const std::vector<Input>& sources,
                                                const std::vector<Input>& references) {
  std::vector<std::vector<const std::vector<Input>*>> combinations;
  if (!sources.empty()) combinations.push_back({&translations, &sources});
  if (!references.empty()) combinations.push_back({&translations, &references});
  if (combinations.size() == 2) combinations.push_back({&translations, &sources, &references});
  std::vector<double> means(translations.size(), 0.0);
  for (const auto& combination : combinations) {
    std::vector<Input> inputs;
    for (size_t i = 0; i < translations.size(); ++i) {
      std::vector<const Input*> texts;
      for (const std::vector<Input>* kind : combination) texts.push_back(&(*kind)[i]);
      inputs.push_back(joined(texts));
    }
    const std::vector<double> scores = estimate({.translation = embed(inputs)});
    for (size_t i = 0; i < means.size(); ++i)
      means[i] += scores[i] / static_cast<double>(combinations.size());
  }
  return means;
}

std::vector<std::vector<double>> CometScorer::score(const Texts& sources,
                                                    const std::optional<Texts>& references,
                                                    const std::vector<Texts>& systems) {
  const torch::NoGradGuard no_grad;
  const encoders::CometConfig& config = model_.config();
  const bool is_unified = config.kind == "unified";
  const bool can_do_without = is_unified && config.reads_source;
  if (config.reads_reference && !references && !can_do_without)
    throw ConfigError("this COMET model compares translations with references");
  std::vector<Input> source_inputs, reference_inputs;
  if (config.reads_source) source_inputs = encode(sources);
  if (config.reads_reference && references) reference_inputs = encode(*references);
  CometVectors vectors;
  if (!is_unified && config.reads_source) vectors.source = embed(source_inputs);
  if (!is_unified && config.reads_reference) vectors.reference = embed(reference_inputs);

  std::vector<std::vector<double>> scores;
  for (const Texts& system : systems) {
    const std::vector<Input> translations = encode(system);
    if (is_unified) {
      scores.push_back(score_together(translations, source_inputs, reference_inputs));
    } else {
      vectors.translation = embed(translations);
      scores.push_back(estimate(vectors));
    }
  }
  return scores;
}

}  // namespace dietmt::bert
