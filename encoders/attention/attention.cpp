#include "encoders/attention/attention.h"

#include <ATen/ATen.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <mutex>

#include "common/error.h"
#include "encoders/attention/backends.h"
#include "encoders/attention/untied_vectors.h"
#include "encoders/attention/vector_terms.h"
#include "kernels/attention_tables.h"

namespace dietmt::encoders {
namespace {

struct BackendRow {
  const char* name;
  Backend backend;
  at::Tensor (*attend)(const AttentionCall&);
};

/// `auto` tries them in this order.
constexpr std::array<BackendRow, 5> kBackends = {{
    {"cpu", Backend::kCpu, attend_cpu},
    {"hopper", Backend::kHopper, attend_hopper},
    {"cuda", Backend::kCuda, attend_cuda},
    {"sdpa", Backend::kSdpa, attend_sdpa},
    {"reference", Backend::kReference, attend_reference},
}};

const BackendRow& choose_automatically(const AttentionCall& call) {
  std::vector<std::string> problems;
  for (const BackendRow& row : kBackends) {
    if (!call.queries.is_cpu() && row.backend == Backend::kCpu) continue;
    const std::vector<std::string> reasons = reasons_against(row.backend, call);
    if (reasons.empty()) {
      static std::once_flag logged;
      // On a GPU it matters whether the kernels are there.
      const auto level = call.queries.is_cpu() ? spdlog::level::debug : spdlog::level::info;
      std::call_once(logged, [&] { spdlog::log(level, "attention backend: {}", row.name); });
      return row;
    }
    for (const std::string& reason : reasons)
      problems.push_back("attention backend " + std::string(row.name) + ": " + reason);
  }
  throw ConfigError(joined_lines(problems));
}

const BackendRow& choose_by_name(Backend backend, const AttentionCall& call) {
  const BackendRow& row = *std::find_if(kBackends.begin(), kBackends.end(),
                                        [&](const BackendRow& r) { return r.backend == backend; });
  std::vector<std::string> problems = reasons_against(backend, call);
  for (std::string& problem : problems)
    problem = "attention backend " + std::string(row.name) + ": " + problem;
  throw_if_any(problems);
  return row;
}

/// What multiply_features() makes of the terms of one layer, kept for layers that share it.
struct FeatureProduct {
  at::Tensor queries, keys, bias;  // as given; bias may be undefined
  at::Tensor sum;                  // of the product and the bias: [H|1, T, S]

  bool belongs_to(const ScoreTerms& terms) const {
    return queries.is_same(terms.query_features) && keys.is_same(terms.key_features) &&
           bias.is_same(terms.position_bias);
  }
};

FeatureProduct product_of(const ScoreTerms& terms) {
  const at::Tensor product = at::matmul(terms.query_features, terms.key_features.transpose(1, 2));
  const at::Tensor& bias = terms.position_bias;
  return {terms.query_features, terms.key_features, bias,
          bias.defined() ? bias + product : product};
}

/// attend() for vectors that do not meet position 0.
at::Tensor attend_untied(const AttentionCall& call, Backend backend) {
  const auto [queries, keys, terms] =
      untie_vectors(call.queries, call.keys, call.query_packing.positions(), call.terms);
  const AttentionCall wider{.queries = queries,
                            .keys = keys,
                            .values = widen(call.values),
                            .query_packing = call.query_packing,
                            .key_packing = call.key_packing,
                            .terms = terms,
                            .causal = call.causal,
                            .dropout = call.dropout,
                            .segments = call.segments};
  return attend(wider, backend).narrow(2, 0, call.values.size(2)).contiguous();
}

thread_local AttentionRecorder* recorder_of_thread = nullptr;

}  // namespace

Backend parse_backend(const std::string& name) {
  if (name == "auto") return Backend::kAuto;
  std::string names = "auto";
  for (const BackendRow& row : kBackends) {
    if (name == row.name) return row.backend;
    names += ", " + std::string(row.name);
  }
  throw ConfigError("no attention backend '" + name + "'; possible: " + names);
}

std::vector<std::string> reasons_against(Backend backend, const AttentionCall& call) {
  std::vector<std::string> reasons;
  if (backend == Backend::kCuda) reasons = reasons_against_cuda(call);
  if (backend == Backend::kHopper) reasons = reasons_against_hopper(call);
  if (backend == Backend::kCpu) {
    const at::ScalarType type = call.queries.scalar_type();
    if (!call.queries.is_cpu()) reasons.push_back("the tensors are on another device");
    if (type != at::kFloat && type != at::kBFloat16)
      reasons.push_back("it supports fp32 and bf16, not " + std::string(at::toString(type)));
  }
  const bool fused = backend != Backend::kSdpa && backend != Backend::kReference;
  if (fused && call.terms.contextual.defined())
    reasons.push_back("contextual positions need whole rows of scores");
  if (call.terms.segment_bias.defined() && !call.segments.defined())
    reasons.push_back("a segment bias needs self-attention with segments");
  if (call.terms.segment_bias.defined() && compresses(call.terms))
    reasons.push_back("compressed keys have no segments");
  if (call.query_packing.sentences() != call.key_packing.sentences())
    reasons.push_back("queries have " + std::to_string(call.query_packing.sentences()) +
                      " sentences, keys " + std::to_string(call.key_packing.sentences()));
  return reasons;
}

std::vector<ScoreTerms> multiply_features(std::vector<ScoreTerms> layers) {
  FeatureProduct product;
  for (ScoreTerms& terms : layers) {
    if (!terms.query_features.defined()) continue;
    if (terms.query_features.size(1) * terms.key_features.size(1) > kernels::kFewPairs) continue;
    if (!product.belongs_to(terms)) product = product_of(terms);
    terms.position_bias = product.sum;
    terms.query_features = terms.key_features = at::Tensor();
  }
  return layers;
}

at::Tensor attend(const AttentionCall& call, Backend backend) {
  const ScoreTerms& terms = call.terms;
  if (unties_vectors(terms)) return attend_untied(call, backend);
  const at::Tensor keys = move_keys(call.keys, call.key_packing.positions(), terms);
  const Packing key_packing = compressed_packing(call.key_packing, terms);
  AttentionCall moved{.queries = move_queries(call.queries, call.query_packing.positions(), terms),
                      .keys = compress(keys, call.key_packing, terms.key_compression),
                      .values = compress(call.values, call.key_packing, terms.value_compression),
                      .query_packing = call.query_packing,
                      .key_packing = key_packing,
                      .terms = terms,
                      .causal = call.causal,
                      .dropout = call.dropout,
                      // Some inputs have segments that only the embeddings use.
                      .segments = terms.segment_bias.defined() ? call.segments : at::Tensor()};
  if (moved.keys.is_same(call.keys) && moved.values.is_same(call.values)) {
    moved.memory_gradients = call.memory_gradients;
    moved.key_part = call.key_part;
  }
  if (AttentionRecorder* recorder = AttentionRecorder::current()) recorder->record(moved);
  const BackendRow& row =
      backend == Backend::kAuto ? choose_automatically(moved) : choose_by_name(backend, moved);
  return row.attend(moved);
}

AttentionRecorder::AttentionRecorder() { recorder_of_thread = this; }

AttentionRecorder::~AttentionRecorder() { recorder_of_thread = nullptr; }

AttentionRecorder* AttentionRecorder::current() { return recorder_of_thread; }

void AttentionRecorder::record(const AttentionCall& call) {
  if (call.query_packing.sentences() != 1)
    throw Error("attention can be recorded for only one sentence at a time");
  if (compresses(call.terms)) {
    probabilities_.emplace_back();
    return;
  }
  Sentence sentence;
  sentence.q = call.queries.transpose(0, 1);
  sentence.k = call.keys.transpose(0, 1);
  sentence.segments = call.segments;
  sentence.causal = call.causal;
  probabilities_.push_back(sentence_probabilities(sentence, call.terms));
}

}  // namespace dietmt::encoders
