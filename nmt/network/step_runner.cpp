#include "nmt/network/step_runner.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "encoders/attention/packing.h"
#include "encoders/device/device.h"

namespace dietmt::nmt {
namespace {

using at::Tensor;

// As long as most sentences; twice as many if that is not enough, so that rows seldom become
// longer.
constexpr int64_t kFirstColumns = 64;

Tensor staged(std::span<const int64_t> numbers, at::Device device) {
  const Tensor here = encoders::staging_tensor(std::ssize(numbers), device);
  std::ranges::copy(numbers, here.mutable_data_ptr<int64_t>());
  return here;
}

}  // namespace

Tensor sent(std::span<const int64_t> numbers, at::Device device) {
  return staged(numbers, device).to(device, /*non_blocking=*/true);
}

void send(std::span<const int64_t> numbers, const Tensor& to) {
  to.narrow(0, 0, std::ssize(numbers)).copy_(staged(numbers, to.device()), /*non_blocking=*/true);
}

int64_t StepRunner::Sentence::slot(int64_t row, int64_t beams) const {
  const int64_t block = position / PagePool::kPageSlots;
  return pages[static_cast<size_t>(block * beams + row)] + position % PagePool::kPageSlots;
}

int64_t StepRunner::Sentence::source_slot(int64_t key) const {
  return source_pages[static_cast<size_t>(key / PagePool::kPageSlots)] + key % PagePool::kPageSlots;
}

StepRunner::StepRunner(const TranslationModel& model, int64_t beams, int64_t most_sentences)
    : model_(model),
      beams_(beams),
      device_(model.output_weight().device()),
      cache_(model.empty_cache()),
      idle_slot_(pool_.take()) {
  const at::TensorOptions options = at::TensorOptions(at::kInt).device(device_);
  slots_ = at::zeros({most_sentences * beams, kFirstColumns}, options);
  source_slots_ = at::zeros({most_sentences, kFirstColumns}, options);
  numbers_ = at::zeros({most_sentences * (3 * beams + 2)}, options.dtype(at::kLong));
  model_.cover(1, cache_);
  fixed_work_ = model_.steps_have_fixed_work(cache_);
}

// At least `columns` columns; new ones hold slot 0.
void StepRunner::widen(Tensor& slots, int64_t columns) {
  if (slots.size(1) >= columns) return;
  const int64_t wanted = std::max(columns, 2 * slots.size(1));
  slots = at::constant_pad_nd(slots, {0, wanted - slots.size(1)});
  ++moves_;
}

std::vector<StepRunner::Sentence> StepRunner::encode(
    std::span<const std::vector<int32_t>* const> sources) {
  std::vector<Sentence> encoded;
  if (sources.empty()) return encoded;
  const data::PackedTokens packed = pack(sources);
  const encoders::Packing packing = encoders::packing_of(packed, device_);
  const std::vector<int64_t> ids(packed.tokens.begin(), packed.tokens.end());
  const Tensor memory = model_.encode(sent(ids, device_), packing);  // [M, D]

  std::vector<int64_t> slots;  // of all keys
  for (const auto* source : sources) {
    Sentence& sentence = encoded.emplace_back();
    sentence.source_tokens = std::ssize(*source);
    sentence.source_keys = model_.memory_keys(sentence.source_tokens);
    for (int64_t p = 0; p < PagePool::pages_for(sentence.source_keys); ++p)
      sentence.source_pages.push_back(source_pool_.take());
    for (int64_t j = 0; j < sentence.source_keys; ++j) slots.push_back(sentence.source_slot(j));
  }
  if (cache_.reserve(pool_.slots(), source_pool_.slots())) ++moves_;
  model_.keep_memory(memory, packing, sent(slots, device_), cache_);
  return encoded;
}

void StepRunner::begin(std::vector<Sentence> encoded) {
  if (encoded.empty()) return;
  widen(source_slots_, std::ranges::max(encoded, {}, &Sentence::source_keys).source_keys);
  const int64_t count = std::ssize(encoded), columns = source_slots_.size(1);
  std::vector<int64_t> rows(static_cast<size_t>(count * columns));
  for (int64_t b = 0; b < count; ++b) {
    const Sentence& sentence = encoded[static_cast<size_t>(b)];
    for (int64_t j = 0; j < sentence.source_keys; ++j)
      rows[static_cast<size_t>(b * columns + j)] = sentence.source_slot(j);
  }
  source_slots_.narrow(0, sentences(), count).copy_(sent(rows, device_).view({count, columns}));
  std::ranges::move(encoded, std::back_inserter(open_));
  if (cache_.reserve(expected_slots(), source_pool_.slots())) ++moves_;
  if (model_.cover(std::ranges::max(open_, {}, &Sentence::source_tokens).source_tokens, cache_))
    ++moves_;
}

// If translations are a quarter longer than their sources. A cache that grows step by step moves
// every time, and graphs are recorded anew.
int64_t StepRunner::expected_slots() const {
  int64_t pages = 1;  // with the idle slot
  for (const Sentence& sentence : open_)
    pages += beams_ * PagePool::pages_for(sentence.source_tokens * 5 / 4);
  return pages * PagePool::kPageSlots;
}

void StepRunner::release(const Sentence& encoded) { source_pool_.release(encoded.source_pages); }

void StepRunner::advance(int64_t idle) {
  longest_ = longest_source_ = 1;
  int64_t covered = 1;
  for (Sentence& sentence : open_) {
    if (sentence.position % PagePool::kPageSlots == 0)
      for (int64_t k = 0; k < beams_; ++k) sentence.pages.push_back(pool_.take());
    longest_ = std::max(longest_, sentence.position + 1);
    longest_source_ = std::max(longest_source_, sentence.source_keys);
    covered = std::max({covered, longest_, sentence.source_tokens});
  }
  widen(slots_, longest_);
  if (cache_.reserve(pool_.slots(), source_pool_.slots())) ++moves_;
  if (model_.cover(covered, cache_)) ++moves_;
  send_numbers(idle);
  for (Sentence& sentence : open_) ++sentence.position;
}

// In the order of step_rows(). Idle sentences are at position 0.
void StepRunner::send_numbers(int64_t idle) {
  step_sentences_ = sentences() + idle;
  const int64_t rows = step_sentences_ * beams_;
  std::vector<int64_t> numbers(static_cast<size_t>(rows * 3 + step_sentences_ * 2));
  int64_t *positions = numbers.data(), *counts = positions + rows, *slots = counts + rows,
          *sentence_positions = slots + rows, *source_counts = sentence_positions + step_sentences_;
  std::fill(counts, slots, 1);
  std::fill(slots, sentence_positions, idle_slot_);
  std::fill(source_counts, source_counts + step_sentences_, 1);
  for (const Sentence& sentence : open_) {
    for (int64_t k = 0; k < beams_; ++k) {
      *positions++ = sentence.position;
      *counts++ = sentence.position + 1;
      *slots++ = sentence.slot(k, beams_);
    }
    *sentence_positions++ = sentence.position;
    *source_counts++ = sentence.source_keys;
  }
  send(numbers, numbers_);
}

encoders::StepRows StepRunner::step_rows() const {
  const int64_t rows = step_sentences_ * beams_;
  const auto first = [&](const Tensor& slots, int64_t count, int64_t columns) {
    return slots.narrow(0, 0, count).narrow(1, 0, fixed_work_ ? slots.size(1) : columns);
  };
  const Tensor by_row = numbers_.narrow(0, 0, 3 * rows).view({3, rows});
  const Tensor by_sentence =
      numbers_.narrow(0, 3 * rows, 2 * step_sentences_).view({2, step_sentences_});
  return {.positions = by_row[0],
          .counts = by_row[1],
          .slots = first(slots_, rows, longest_),
          .new_slots = by_row[2],
          .sentence_positions = by_sentence[0],
          .source_slots = first(source_slots_, step_sentences_, longest_source_),
          .source_counts = by_sentence[1]};
}

Tensor StepRunner::step(const Tensor& tokens) {
  const encoders::StepRows rows = step_rows();
  slots_.narrow(0, 0, tokens.size(0))
      .scatter_(1, rows.positions.unsqueeze(1), rows.new_slots.unsqueeze(1).to(at::kInt));
  return model_.step(tokens, rows, cache_);
}

void StepRunner::follow(const Tensor& parents) {
  const Tensor followed = slots_.index_select(0, parents);
  slots_.narrow(0, 0, followed.size(0)).copy_(followed);
}

void StepRunner::keep(std::span<const int64_t> kept, const Tensor& parents) {
  follow(parents);
  std::vector<Sentence> before = std::move(open_);
  open_.clear();
  for (const int64_t b : kept) open_.push_back(std::move(before[static_cast<size_t>(b)]));
  for (const Sentence& sentence : before) {  // moved ones have no pages
    pool_.release(sentence.pages);
    source_pool_.release(sentence.source_pages);
  }
  source_slots_.narrow(0, 0, sentences()).copy_(source_slots_.index_select(0, sent(kept, device_)));
}

}  // namespace dietmt::nmt
