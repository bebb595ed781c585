#include "encoders/attention/attention.h"

#include <ATen/ATen.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <mutex>

#include "common/error.h"
#include "encoders/attention/attention_recorder.h"
#include "encoders/attention/backends.h"
#include "encoders/attention/vector_terms.h"
#include "kernels/dropout.h"

namespace dietmt::encoders {
namespace {

struct BackendRow {
  const char* name;
  Backend backend;
  at::Tensor (*attend)(const AttentionCall&);
};

/// In the order in which `auto` tries them.
constexpr std::array<BackendRow, 4> kBackends = {{
    {"cpu", Backend::kCpu, attend_cpu},
    {"cuda", Backend::kCuda, attend_cuda},
    {"sdpa", Backend::kSdpa, attend_sdpa},
    {"reference", Backend::kReference, attend_reference},
}};

const BackendRow& choose_automatically(const AttentionCall& call) {
  std::vector<std::string> problems;
  for (const BackendRow& row : kBackends) {
    const std::vector<std::string> reasons = reasons_against(row.backend, call);
    if (reasons.empty()) {
      static std::once_flag logged;
      std::call_once(logged, [&] { spdlog::debug("attention backend: {}", row.name); });
      return row;
    }
    for (const std::string& reason : reasons)
      problems.push_back("attention backend " + std::string(row.name) + ": " + reason);
  }
  throw ConfigError(problems);
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
  if (backend == Backend::kCpu) {
    const at::ScalarType type = call.queries.scalar_type();
    if (!call.queries.is_cpu()) reasons.push_back("the tensors are on another device");
    if (type != at::kFloat && type != at::kBFloat16)
      reasons.push_back("it knows fp32 and bf16, not " + std::string(at::toString(type)));
  }
  const bool fused = backend == Backend::kCpu || backend == Backend::kCuda;
  if (fused && call.terms.contextual.defined())
    reasons.push_back("contextual positions need whole rows of scores");
  if (call.terms.segment_bias.defined() && !call.segments.defined())
    reasons.push_back("a segment bias needs the segments of self-attention");
  if (call.terms.segment_bias.defined() && compresses(call.terms))
    reasons.push_back("compressed keys have no segments");
  if (call.query_packing.sentences() != call.key_packing.sentences())
    reasons.push_back("queries have " + std::to_string(call.query_packing.sentences()) +
                      " sentences, keys " + std::to_string(call.key_packing.sentences()));
  return reasons;
}

at::Tensor attend(const AttentionCall& call, Backend backend) {
  const ScoreTerms& terms = call.terms;
  const at::Tensor keys = move_keys(call.keys, call.key_packing.positions(), terms);
  const Packing key_packing = compressed_packing(call.key_packing, terms);
  const AttentionCall moved{
      .queries = move_queries(call.queries, call.query_packing.positions(), terms),
      .keys = compress(keys, call.key_packing, terms.key_compression),
      .values = compress(call.values, call.key_packing, terms.value_compression),
      .query_packing = call.query_packing,
      .key_packing = key_packing,
      .terms = terms,
      .causal = call.causal,
      .dropout = call.dropout,
      .dropout_key = call.dropout_key,
      // An input may have segments that only its embeddings use.
      .segments = terms.segment_bias.defined() ? call.segments : at::Tensor()};
  if (AttentionRecorder* recorder = AttentionRecorder::current()) recorder->record(moved);
  const BackendRow& row =
      backend == Backend::kAuto ? choose_automatically(moved) : choose_by_name(backend, moved);
  return row.attend(moved);
}

at::Tensor dropout_factors(uint64_t key, double p, at::IntArrayRef sizes, const at::Tensor& like) {
  at::Tensor factors = at::empty(sizes, at::kFloat);
  kernels::dropout_mask(key, p, factors.numel(), factors.data_ptr<float>());
  return factors.to(like.options());
}

}  // namespace dietmt::encoders
