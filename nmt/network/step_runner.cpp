#include "nmt/network/step_runner.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "encoders/attention/packing.h"

namespace dietmt::nmt {
namespace {

using at::Tensor;

// Columns are added so many at a time, so that rows seldom become longer.
constexpr int64_t kColumnBlock = 32;

// [rows, C] with at least `columns` columns; new ones hold slot 0.
Tensor widened(const Tensor& slots, int64_t columns) {
  if (slots.size(1) >= columns) return slots;
  const int64_t wanted = (columns + kColumnBlock - 1) / kColumnBlock * kColumnBlock;
  return at::constant_pad_nd(slots, {0, wanted - slots.size(1)});
}

// One copy to the device for several tensors of int64.
class Shipment {
 public:
  /// Appends a part of `size` zeros. Its place is valid until the next call.
  int64_t* add(int64_t size) {
    const size_t first = numbers_.size();
    sizes_.push_back(size);
    numbers_.resize(first + static_cast<size_t>(size));
    return numbers_.data() + first;
  }

  std::vector<Tensor> sent_to(at::Device device) const {
    return sent(numbers_, device).split_with_sizes(sizes_);
  }

 private:
  std::vector<int64_t> numbers_;
  std::vector<int64_t> sizes_;
};

}  // namespace

Tensor sent(std::span<const int64_t> numbers, at::Device device) {
  const at::TensorOptions options = at::TensorOptions(at::kLong).pinned_memory(!device.is_cpu());
  const Tensor here = at::empty({std::ssize(numbers)}, options);
  std::ranges::copy(numbers, here.mutable_data_ptr<int64_t>());
  return here.to(device, /*non_blocking=*/true);
}

int64_t StepRunner::Sentence::slot(int64_t row, int64_t beams) const {
  const int64_t block = position / PagePool::kPageSlots;
  return pages[static_cast<size_t>(block * beams + row)] + position % PagePool::kPageSlots;
}

int64_t StepRunner::Sentence::source_slot(int64_t key) const {
  return source_pages[static_cast<size_t>(key / PagePool::kPageSlots)] + key % PagePool::kPageSlots;
}

StepRunner::StepRunner(const TranslationModel& model, int64_t beams)
    : model_(model),
      beams_(beams),
      device_(model.output_weight().device()),
      cache_(model.empty_cache()) {
  const at::TensorOptions options = at::TensorOptions(at::kInt).device(device_);
  slots_ = at::zeros({0, kColumnBlock}, options);
  source_slots_ = at::zeros({0, kColumnBlock}, options);
}

void StepRunner::add(std::span<const std::vector<int32_t>* const> sources) {
  if (sources.empty()) return;
  const data::PackedTokens packed = pack(sources);
  const encoders::Packing packing = encoders::packing_of(packed, device_);
  const std::vector<int64_t> ids(packed.tokens.begin(), packed.tokens.end());
  const Tensor memory = model_.encode(sent(ids, device_), packing);  // [M, D]

  std::vector<Sentence> added;
  for (const auto* source : sources) {
    Sentence& sentence = added.emplace_back();
    sentence.source_tokens = std::ssize(*source);
    sentence.source_keys = model_.memory_keys(sentence.source_tokens);
    for (int64_t p = 0; p < PagePool::pages_for(sentence.source_keys); ++p)
      sentence.source_pages.push_back(source_pool_.take());
  }
  keep_memory(added, memory, packing);
  slots_ = at::constant_pad_nd(slots_, {0, 0, 0, std::ssize(added) * beams_});
  std::ranges::move(added, std::back_inserter(open_));
}

void StepRunner::keep_memory(std::span<Sentence> added, const Tensor& memory,
                             const encoders::Packing& packing) {
  const int64_t longest = std::ranges::max(added, {}, &Sentence::source_keys).source_keys;
  source_slots_ = widened(source_slots_, longest);
  const int64_t columns = source_slots_.size(1);
  int64_t keys = 0;
  for (const Sentence& sentence : added) keys += sentence.source_keys;
  Shipment shipment;
  int64_t* rows = shipment.add(std::ssize(added) * columns);
  for (const Sentence& sentence : added) {
    for (int64_t j = 0; j < sentence.source_keys; ++j) rows[j] = sentence.source_slot(j);
    rows += columns;
  }
  int64_t* next = shipment.add(keys);
  for (const Sentence& sentence : added)
    for (int64_t j = 0; j < sentence.source_keys; ++j) *next++ = sentence.source_slot(j);
  const std::vector<Tensor> there = shipment.sent_to(device_);
  cache_.reserve(pool_.slots(), source_pool_.slots());
  model_.keep_memory(memory, packing, there[1], cache_);
  source_slots_ = at::cat({source_slots_, there[0].view({-1, columns}).to(at::kInt)});
}

// New slots for all rows, and what the step reads of them.
encoders::StepRows StepRunner::next_rows() {
  const int64_t rows = sentences() * beams_;
  int64_t longest = 0, longest_source = 0;
  for (Sentence& sentence : open_) {
    if (sentence.position % PagePool::kPageSlots == 0)
      for (int64_t k = 0; k < beams_; ++k) sentence.pages.push_back(pool_.take());
    longest = std::max(longest, sentence.position + 1);
    longest_source = std::max(longest_source, sentence.source_keys);
  }
  Shipment shipment;
  int64_t* of_rows = shipment.add(rows * 3);
  for (int64_t r = 0; r < rows; ++r) {
    const Sentence& sentence = open_[static_cast<size_t>(r / beams_)];
    of_rows[r] = sentence.position;
    of_rows[rows + r] = sentence.position + 1;
    of_rows[2 * rows + r] = sentence.slot(r % beams_, beams_);
  }
  int64_t* of_sentences = shipment.add(sentences() * 2);
  for (int64_t b = 0; b < sentences(); ++b) {
    of_sentences[b] = open_[static_cast<size_t>(b)].position;
    of_sentences[sentences() + b] = open_[static_cast<size_t>(b)].source_keys;
  }
  const std::vector<Tensor> there = shipment.sent_to(device_);
  const Tensor by_row = there[0].view({3, rows}), by_sentence = there[1].view({2, sentences()});
  cache_.reserve(pool_.slots(), source_pool_.slots());
  slots_ = widened(slots_, longest);
  slots_.scatter_(1, by_row[0].unsqueeze(1), by_row[2].unsqueeze(1).to(at::kInt));
  return {.positions = by_row[0],
          .counts = by_row[1],
          .slots = slots_.narrow(1, 0, longest).contiguous(),
          .new_slots = by_row[2],
          .sentence_positions = by_sentence[0],
          .source_slots = source_slots_.narrow(1, 0, longest_source).contiguous(),
          .source_counts = by_sentence[1]};
}

Tensor StepRunner::step(const Tensor& tokens) {
  const encoders::StepRows rows = next_rows();
  int64_t longest = rows.slots.size(1);
  for (Sentence& sentence : open_) {
    longest = std::max(longest, sentence.source_tokens);
    ++sentence.position;
  }
  return model_.step(tokens, rows, longest, cache_);
}

void StepRunner::follow(const Tensor& parents) { slots_ = slots_.index_select(0, parents); }

void StepRunner::keep(std::span<const int64_t> kept, const Tensor& parents) {
  follow(parents);
  std::vector<Sentence> before = std::move(open_);
  open_.clear();
  for (const int64_t b : kept) open_.push_back(std::move(before[static_cast<size_t>(b)]));
  for (const Sentence& sentence : before) {  // moved ones have no pages
    pool_.release(sentence.pages);
    source_pool_.release(sentence.source_pages);
  }
  source_slots_ = source_slots_.index_select(0, sent(kept, device_));
}

}  // namespace dietmt::nmt
