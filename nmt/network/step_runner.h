// Cached decoding of many sentences, one token of each of their hypotheses at a time. Sentences
// come and go between steps, and each is at its own position.
//
//   StepRunner runner(model, 5);
//   runner.add(sources);
//   while (...) {
//     const at::Tensor hidden = runner.step(tokens);   // [B * K, D]
//     runner.follow(parents);                          // or keep(), when sentences are finished
//   }
//
// Pages and positions are known to the host; it sends them to the device and reads nothing.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

#include "nmt/network/decoder_cache.h"
#include "nmt/network/translation_model.h"

namespace dietmt::nmt {

/// The numbers on a device. On other devices than the CPU the copy goes through pinned memory, and
/// nothing waits for it.
at::Tensor sent(std::span<const int64_t> numbers, at::Device device);

class StepRunner {
 public:
  /// Keeps a reference to the model. `beams`: K, rows of each sentence.
  StepRunner(const TranslationModel& model, int64_t beams);

  int64_t sentences() const { return std::ssize(open_); }  // B
  int64_t beams() const { return beams_; }

  /// What the cache keeps of a token of a hypothesis and one of a source.
  int64_t bytes_of_a_token() const { return cache_.slot_bytes() + cache_.source_slot_bytes(); }

  /// Encodes sentences, which end in end of sentence. Their rows follow those of the others.
  void add(std::span<const std::vector<int32_t>* const> sources);

  /// tokens: [B * K] int64, the last token of each row; begin of sentence at first. Returns hidden
  /// states [B * K, D].
  at::Tensor step(const at::Tensor& tokens);

  /// Row r goes on as row parents[r] of the same sentence; parents: [B * K] int64.
  void follow(const at::Tensor& parents);

  /// The same, and keeps only the sentences `kept` [B'], in that order; parents: [B' * K].
  void keep(std::span<const int64_t> kept, const at::Tensor& parents);

 private:
  struct Sentence {
    int64_t position = 0;  // of the next token
    int64_t source_tokens = 0;
    int64_t source_keys = 0;
    std::vector<int64_t> pages;  // K for each block of PagePool::kPageSlots positions
    std::vector<int64_t> source_pages;

    int64_t slot(int64_t row, int64_t beams) const;  // of the token at `position`
    int64_t source_slot(int64_t key) const;
  };

  void keep_memory(std::span<Sentence> added, const at::Tensor& memory,
                   const encoders::Packing& packing);
  encoders::StepRows next_rows();

  const TranslationModel& model_;
  const int64_t beams_;
  const at::Device device_;
  DecoderCache cache_;
  PagePool pool_;
  PagePool source_pool_;
  std::vector<Sentence> open_;
  at::Tensor slots_;         // [B * K, T] int32
  at::Tensor source_slots_;  // [B, S] int32
};

}  // namespace dietmt::nmt
