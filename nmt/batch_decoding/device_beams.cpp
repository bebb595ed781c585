#include "nmt/batch_decoding/device_beams.h"

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>

#include <algorithm>
#include <bit>

#include "encoders/device/device.h"
#include "nmt/batch_decoding/candidates.h"
#include "nmt/network/step_runner.h"

namespace dietmt::nmt {
namespace {

using at::Tensor;

constexpr int64_t kPacked = 3;  // numbers of a candidate

using Limits = DeviceBeams::Limits;

int64_t forced_token(const Limits& one) { return one.forced; }
int64_t may_not_end(const Limits& one) { return one.may_end ? 0 : 1; }

bool any_forced(std::span<const Limits> limits) {
  return std::ranges::any_of(limits, [](const Limits& one) { return one.forced >= 0; });
}
bool any_early(std::span<const Limits> limits) {
  return std::ranges::any_of(limits, [](const Limits& one) { return !one.may_end; });
}

// `number` of each sentence, `times` times.
std::vector<int64_t> numbers(std::span<const Limits> limits, int64_t times,
                             int64_t (*number)(const Limits&)) {
  std::vector<int64_t> all;
  for (const Limits& one : limits) all.insert(all.end(), static_cast<size_t>(times), number(one));
  return all;
}

}  // namespace

DeviceBeams::DeviceBeams(int64_t beam, const SpecialTokens& special, at::Device device)
    : beam_(beam), special_(special), device_(device) {
  tokens_ = at::empty({0}, at::TensorOptions(at::kLong).device(device));
  sums_ = at::empty({0}, at::TensorOptions(at::kDouble).device(device));
  parents_ = tokens_;
}

void DeviceBeams::add(int64_t sentences) {
  const Tensor tokens = at::full({sentences * beam_}, special_.begin, tokens_.options());
  const Tensor sums = at::full({sentences, beam_}, kImpossible, sums_.options());
  sums.select(1, 0).zero_();
  tokens_ = at::cat({tokens_, tokens});
  sums_ = at::cat({sums_, sums.flatten()});
}

// Log-probabilities of all tokens, minus infinity for those that cannot follow. [B * K, V] float
Tensor DeviceBeams::log_probs(const Tensor& logits, std::span<const Limits> limits) const {
  Tensor all = at::log_softmax(logits, -1, at::kFloat);
  Tensor forced, kept;
  if (any_forced(limits)) {
    forced = sent(numbers(limits, beam_, forced_token), device_).unsqueeze(1);  // [B * K, 1]
    kept = all.gather(1, forced.clamp_min(0));
  }
  for (const int32_t id : {special_.unknown, special_.begin})
    if (id >= 0) all.select(1, id).fill_(kImpossible);
  if (any_early(limits)) {
    const Tensor early = sent(numbers(limits, beam_, may_not_end), device_).to(at::kBool);
    all.select(1, special_.end).masked_fill_(early, kImpossible);
  }
  if (!forced.defined()) return all;
  const Tensor is_forced = forced.ge(0), place = forced.clamp_min(0);
  kept = at::where(is_forced, kept, all.gather(1, place));
  return all.masked_fill_(is_forced, kImpossible).scatter_(1, place, kept);
}

Tensor DeviceBeams::advance(const Tensor& logits, std::span<const Limits> limits) {
  const kernels::DeviceKernels* device = encoders::device_kernels(device_);
  const bool fits = beam_ <= kernels::kWidestStepBeam && logits.size(1) >= 2 * beam_;
  if (device != nullptr && device->beam_step != nullptr && fits)
    return advance_on_device(logits, limits, *device);
  return advance_by_tensor_algebra(logits, limits);
}

Tensor DeviceBeams::advance_on_device(const Tensor& logits, std::span<const Limits> limits,
                                      const kernels::DeviceKernels& device) {
  const int64_t sentences = std::ssize(limits), rows = sentences * beam_, count = 2 * beam_;
  const Tensor all = logits.contiguous();
  const auto bits = tokens_.options().dtype(at::kInt);
  const Tensor candidates = at::empty({sentences, count, kPacked}, bits);
  const Tensor log_probs = at::empty({rows, count}, bits.dtype(at::kFloat));
  const Tensor tokens = at::empty({rows, count}, bits);
  Tensor forced, early;
  if (any_forced(limits)) forced = sent(numbers(limits, 1, forced_token), device_);
  if (any_early(limits)) early = sent(numbers(limits, 1, may_not_end), device_);
  tokens_ = at::empty({rows}, tokens_.options());
  parents_ = at::empty({rows}, tokens_.options());

  kernels::DeviceBeamStep step;
  step.type = encoders::element_type(all.scalar_type());
  step.sentences = sentences;
  step.beam = beam_;
  step.classes = all.size(1);
  step.logits = all.const_data_ptr();
  if (forced.defined()) step.forced = forced.const_data_ptr<int64_t>();
  if (early.defined()) step.early = early.const_data_ptr<int64_t>();
  step.end = special_.end;
  step.never[0] = special_.unknown;
  step.never[1] = special_.begin;
  step.sums = sums_.mutable_data_ptr<double>();
  step.tokens = tokens_.mutable_data_ptr<int64_t>();
  step.parents = parents_.mutable_data_ptr<int64_t>();
  step.candidates = candidates.mutable_data_ptr<int32_t>();
  step.row_log_probs = log_probs.mutable_data_ptr<float>();
  step.row_tokens = tokens.mutable_data_ptr<int32_t>();
  const c10::DeviceGuard guard(device_);
  device.beam_step(step);
  return candidates;
}

Tensor DeviceBeams::advance_by_tensor_algebra(const Tensor& logits,
                                              std::span<const Limits> limits) {
  const int64_t sentences = std::ssize(limits), wanted = 2 * beam_;
  const int64_t of_row = std::min(wanted, logits.size(1));
  const auto [row_log_probs, row_tokens] = log_probs(logits, limits).topk(of_row, -1);
  const auto by_sentence = [&](const Tensor& rows) { return rows.view({sentences, -1}); };
  const Tensor totals = by_sentence(sums_.unsqueeze(1) + row_log_probs);  // [B, K * C] double
  // Stable, so that of equal sums the first hypothesis wins.
  const auto [sorted, order] = at::sort(totals, /*stable=*/true, 1, /*descending=*/true);
  const int64_t count = std::min(wanted, totals.size(1));
  const Tensor places = order.narrow(1, 0, count), best = sorted.narrow(1, 0, count);
  const Tensor tokens = by_sentence(row_tokens).gather(1, places);  // [B, C]
  const Tensor beams = places.div(of_row, "floor");
  const Tensor impossible = best.isneginf();
  const Tensor found =
      by_sentence(row_log_probs).gather(1, places).masked_fill(impossible, kImpossible);

  // The first K that do not end go on; rows without a hypothesis follow.
  const Tensor stops = tokens.eq(special_.end).logical_or_(impossible);
  const Tensor next =
      at::argsort(stops, /*stable=*/true, 1, /*descending=*/false).narrow(1, 0, beam_);
  const Tensor first_rows =
      at::arange(0, sentences * beam_, beam_, tokens_.options()).unsqueeze(1);  // [B, 1]
  tokens_ = tokens.gather(1, next).flatten();
  parents_ = (beams.gather(1, next) + first_rows).flatten();
  sums_ = best.gather(1, next).masked_fill_(stops.gather(1, next), kImpossible).flatten();
  return at::stack({beams.to(at::kInt), tokens.to(at::kInt), found.view(at::kInt)}, 2);
}

void DeviceBeams::keep(const Tensor& rows) {
  tokens_ = tokens_.index_select(0, rows);
  sums_ = sums_.index_select(0, rows);
  parents_ = parents_.index_select(0, rows);
}

std::vector<Candidate> candidates_of(const Tensor& packed, int64_t b, const Beam& beam) {
  const int64_t count = packed.size(1);
  const int32_t* next = packed.const_data_ptr<int32_t>() + b * count * kPacked;
  std::vector<Candidate> candidates;
  for (int64_t i = 0; i < count; ++i, next += kPacked) {
    const auto log_prob = std::bit_cast<float>(next[2]);
    if (log_prob == kImpossible) break;
    const double sum = beam.sums()[static_cast<size_t>(next[0])] + log_prob;
    candidates.push_back({sum, log_prob, next[0], next[1]});
  }
  return candidates;
}

}  // namespace dietmt::nmt
