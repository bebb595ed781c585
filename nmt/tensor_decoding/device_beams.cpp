#include "nmt/tensor_decoding/device_beams.h"

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>

#include <algorithm>
#include <bit>

#include "encoders/device/device.h"
#include "nmt/network/step_runner.h"
#include "nmt/tensor_decoding/token_places.h"

namespace dietmt::nmt {
namespace {

using at::Tensor;

constexpr int64_t kPacked = 3;  // numbers per candidate

}  // namespace

DeviceBeams::DeviceBeams(int64_t beam, const SpecialTokens& special, int64_t most_sentences,
                         at::Device device)
    : beam_(beam), special_(special) {
  const at::TensorOptions integers = at::TensorOptions(at::kLong).device(device);
  tokens_ = at::full({most_sentences * beam}, special.end, integers);
  sums_ = at::full({most_sentences * beam}, kImpossible, integers.dtype(at::kDouble));
  parents_ = at::arange(most_sentences * beam, integers);
  limits_ = at::zeros({2 * most_sentences}, integers);
}

void DeviceBeams::add(int64_t sentences) {
  const int64_t first = sentences_ * beam_, rows = sentences * beam_;
  tokens_.narrow(0, first, rows).fill_(special_.begin);
  const Tensor sums = sums_.narrow(0, first, rows).view({sentences, beam_});
  sums.fill_(kImpossible).select(1, 0).zero_();
  parents_.narrow(0, first, rows).copy_(at::arange(first, first + rows, parents_.options()));
  sentences_ += sentences;
}

void DeviceBeams::limit(std::span<const Limits> limits, int64_t idle) {
  any_forced_ = std::ranges::any_of(limits, [](const Limits& one) { return one.forced >= 0; });
  any_early_ = std::ranges::any_of(limits, [](const Limits& one) { return !one.may_end; });
  const int64_t sentences = std::ssize(limits) + idle;
  std::vector<int64_t> numbers(static_cast<size_t>(2 * sentences));
  auto forced = numbers.begin(), early = forced + sentences;
  std::fill(forced, early, -1);
  for (const Limits& one : limits) {
    *forced++ = one.forced;
    *early++ = one.may_end ? 0 : 1;
  }
  send(numbers, limits_);
}

// Log-probabilities of all tokens, minus infinity for those that cannot follow. [B * K, V] float
Tensor DeviceBeams::log_probs(const Tensor& logits) const {
  Tensor all = at::log_softmax(logits, -1, at::kFloat);
  const int64_t sentences = all.size(0) / beam_;
  const auto of_rows = [&](const Tensor& numbers) {
    return numbers.unsqueeze(1).expand({-1, beam_}).reshape({-1, 1});
  };
  Tensor is_forced, token, kept;
  if (any_forced_) {
    const Tensor forced_tokens = of_rows(forced(sentences));  // [B * K, 1]
    is_forced = forced_tokens.ge(0);
    token = forced_tokens.clamp_min(0);
    kept = all.gather(1, token);
  }
  for (const int32_t id : {special_.unknown, special_.begin})
    if (id >= 0) all.select(1, id).fill_(kImpossible);
  if (any_early_) {
    const Tensor is_early = of_rows(early(sentences)).squeeze(1).to(at::kBool);
    all.select(1, special_.end).masked_fill_(is_early, kImpossible);
  }
  if (!any_forced_) return all;
  kept = at::where(is_forced, kept, all.gather(1, token));
  return all.masked_fill_(is_forced, kImpossible).scatter_(1, token, kept);
}

bool DeviceBeams::has_fixed_work(int64_t classes) const {
  const kernels::DeviceKernels* device = encoders::device_kernels(tokens_.device());
  return device != nullptr && device->beam_step != nullptr && beam_ <= kernels::kWidestStepBeam &&
         classes >= 2 * beam_;
}

Tensor DeviceBeams::advance(const Tensor& logits) {
  if (!has_fixed_work(logits.size(1))) return advance_by_tensor_algebra(logits);
  return advance_by_kernel(logits, *encoders::device_kernels(tokens_.device()));
}

Tensor DeviceBeams::advance_by_kernel(const Tensor& logits, const kernels::DeviceKernels& device) {
  const int64_t rows = logits.size(0), sentences = rows / beam_, count = 2 * beam_;
  const Tensor all = logits.contiguous();
  const auto bits = tokens_.options().dtype(at::kInt);
  const Tensor candidates = at::empty({sentences, count, kPacked}, bits);
  const Tensor log_probs = at::empty({rows, count}, bits.dtype(at::kFloat));
  const Tensor tokens = at::empty({rows, count}, bits);

  kernels::DeviceBeamStep step;
  step.type = encoders::element_type(all.scalar_type());
  step.sentences = sentences;
  step.beam = beam_;
  step.classes = all.size(1);
  step.logits = all.const_data_ptr();
  step.forced = forced(sentences).const_data_ptr<int64_t>();
  step.early = early(sentences).const_data_ptr<int64_t>();
  step.end = special_.end;
  step.never[0] = special_.unknown;
  step.never[1] = special_.begin;
  step.sums = sums_.mutable_data_ptr<double>();
  step.tokens = tokens_.mutable_data_ptr<int64_t>();
  step.parents = parents_.mutable_data_ptr<int64_t>();
  step.candidates = candidates.mutable_data_ptr<int32_t>();
  step.row_log_probs = log_probs.mutable_data_ptr<float>();
  step.row_tokens = tokens.mutable_data_ptr<int32_t>();
  const c10::DeviceGuard guard(tokens_.device());
  device.beam_step(step);
  return candidates;
}

Tensor DeviceBeams::advance_by_tensor_algebra(const Tensor& logits) {
  const int64_t rows = logits.size(0), sentences = rows / beam_, wanted = 2 * beam_;
  const int64_t of_row = std::min(wanted, logits.size(1));
  const auto [row_log_probs, row_tokens] = log_probs(logits).topk(of_row, -1);
  const auto by_sentence = [&](const Tensor& all) { return all.view({sentences, -1}); };
  const Tensor totals =
      by_sentence(sums_.narrow(0, 0, rows).unsqueeze(1) + row_log_probs);  // [B, K * C] double
  // Stable, so that the first hypothesis wins among equal sums.
  const auto [sorted, order] = at::sort(totals, /*stable=*/true, 1, /*descending=*/true);
  const int64_t count = std::min(wanted, totals.size(1));
  const Tensor places = order.narrow(1, 0, count), best = sorted.narrow(1, 0, count);
  const Tensor tokens = by_sentence(row_tokens).gather(1, places);  // [B, C]
  const Tensor beams = places.div(of_row, "floor");
  const Tensor impossible = best.isneginf();
  const Tensor found =
      by_sentence(row_log_probs).gather(1, places).masked_fill(impossible, kImpossible);

  // The first K that do not end continue; rows without a hypothesis follow.
  const Tensor stops = tokens.eq(special_.end).logical_or_(impossible);
  const Tensor next =
      at::argsort(stops, /*stable=*/true, 1, /*descending=*/false).narrow(1, 0, beam_);
  const Tensor first_rows =
      at::arange(0, sentences * beam_, beam_, tokens_.options()).unsqueeze(1);  // [B, 1]
  const auto keep_rows = [&](const Tensor& all, const Tensor& by_rank) {
    all.narrow(0, 0, rows).copy_(by_rank.flatten());
  };
  keep_rows(tokens_, tokens.gather(1, next));
  keep_rows(parents_, beams.gather(1, next) + first_rows);
  keep_rows(sums_, best.gather(1, next).masked_fill_(stops.gather(1, next), kImpossible));
  return at::stack({beams.to(at::kInt), tokens.to(at::kInt), found.view(at::kInt)}, 2);
}

void DeviceBeams::keep(const Tensor& rows) {
  const int64_t count = rows.size(0);
  for (const Tensor& all : {tokens_, sums_})
    all.narrow(0, 0, count).copy_(all.index_select(0, rows));
  parents_.narrow(0, 0, count).copy_(at::arange(count, parents_.options()));
  sentences_ = count / beam_;
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
