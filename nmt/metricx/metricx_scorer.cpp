#include "nmt/metricx/metricx_scorer.h"

#include <ATen/ATen.h>
#include <torch/types.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "common/error.h"
#include "encoders/attention/packing.h"

namespace dietmt::nmt {
namespace {

constexpr size_t kInputsAtOnce = 4096;

}  // namespace

MetricxScorer::MetricxScorer(const Metricx& metric, int64_t batch_tokens)
    : metric_(metric), batch_tokens_(batch_tokens) {}

// The labels are in English whatever the languages are.
MetricxScorer::Pieces MetricxScorer::input(const std::string& source,
                                           const std::string& translation,
                                           const std::string* reference) {
  const MetricxLayout& layout = metric_.layout;
  std::string text = "candidate: " + translation;
  if (layout.reads_source && layout.reads_reference)
    text = "source: " + source + " " + text;
  else if (layout.reads_source)
    text += " source: " + source;
  if (layout.reads_reference && reference != nullptr) text += " reference: " + *reference;
  Pieces pieces = metric_.tokenizer->encode(text, layout.max_pieces);
  if (std::ssize(pieces) > layout.max_pieces) {
    ++cut_;
    pieces.resize(static_cast<size_t>(layout.max_pieces));
  }
  return pieces;
}

// The decoder reads only the piece that begins a translation.
at::Tensor MetricxScorer::score_batch(std::span<const Pieces* const> inputs) const {
  const at::Device device = metric_.output.device();
  const data::PackedTokens packed = pack(inputs);
  const Pieces begins(inputs.size(), metric_.tokenizer->begin_id());
  const encoders::Packing packing = encoders::packing_of(packed, device);
  const encoders::Packing single(std::vector<int64_t>(inputs.size(), 1), device);
  const at::Tensor memory = metric_.model->encode(encoders::ids_of(packed.tokens, device), packing);
  const at::Tensor states =
      metric_.model->decode(encoders::ids_of(begins, device), single, memory, packing);
  return states.matmul(metric_.output).clamp(0.0, kWorst).to(at::kCPU);
}

std::vector<double> MetricxScorer::score_inputs(const std::vector<Pieces>& inputs) const {
  std::vector<size_t> order(inputs.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return inputs[i].size(); });
  std::vector<double> scores(inputs.size());
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    std::vector<const Pieces*> batch;
    size_t size = 0;
    do {
      batch.push_back(&inputs[order[end]]);
      size += inputs[order[end++]].size();
    } while (end < order.size() &&
             std::cmp_less_equal(size + inputs[order[end]].size(), batch_tokens_));
    const at::Tensor found = score_batch(batch);
    for (size_t i = begin; i < end; ++i)
      scores[order[i]] = static_cast<double>(found[static_cast<int64_t>(i - begin)].item<float>());
  }
  return scores;
}

std::vector<std::vector<double>> MetricxScorer::score(const Texts& sources,
                                                      const std::optional<Texts>& references,
                                                      const std::vector<Texts>& systems) {
  const torch::NoGradGuard no_grad;
  if (metric_.layout.needs_reference && !references)
    throw ConfigError("this MetricX model compares translations with references");
  std::vector<std::vector<double>> scores;
  for (const Texts& system : systems) {
    std::vector<double>& all = scores.emplace_back();
    for (size_t begin = 0; begin < system.size(); begin += kInputsAtOnce) {
      std::vector<Pieces> inputs;
      for (size_t i = begin; i < std::min(begin + kInputsAtOnce, system.size()); ++i)
        inputs.push_back(input(metric_.layout.reads_source ? sources[i] : "", system[i],
                               references ? &(*references)[i] : nullptr));
      const std::vector<double> part = score_inputs(inputs);
      all.insert(all.end(), part.begin(), part.end());
    }
  }
  return scores;
}

std::vector<std::vector<double>> MetricxScorer::utilities(
    std::span<const metrics::WeightedCandidates> sentences) {
  const torch::NoGradGuard no_grad;
  const bool compares = metric_.layout.reads_reference;
  std::vector<std::vector<double>> all;
  for (const metrics::WeightedCandidates& sentence : sentences) {
    std::vector<Pieces> inputs;
    for (const std::string& candidate : sentence.texts) {
      if (!compares) inputs.push_back(input(sentence.source, candidate, nullptr));
      for (size_t j = 0; compares && j < sentence.texts.size(); ++j)
        inputs.push_back(input(sentence.source, candidate, &sentence.texts[j]));
    }
    std::vector<double> scores = score_inputs(inputs);
    for (double& score : scores) score = -score;
    all.push_back(compares ? metrics::expected_utilities(sentence.weights, scores) : scores);
  }
  return all;
}

}  // namespace dietmt::nmt
