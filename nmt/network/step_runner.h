// Cached decoding of many sentences, one token of each of their hypotheses at a time. Sentences
// come and go between steps, and each is at its own position.
//
//   StepRunner runner(model, 5, 100);
//   runner.begin(runner.encode(sources));
//   while (...) {
//     runner.advance();                                // the host's part
//     const at::Tensor hidden = runner.step(tokens);   // [B * K, D]
//     runner.follow(parents);                          // or keep(), when sentences are finished
//   }
//
// Pages and positions are known to the host; it sends them to the device and reads nothing. If
// has_fixed_work(), a device can record step() and follow() once for a number of rows and replay
// them (encoders/device/device_graphs.h).
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

/// Sends numbers to the first places of `to` [at least as many] int64.
void send(std::span<const int64_t> numbers, const at::Tensor& to);

class StepRunner {
 public:
  /// Keeps a reference to the model. `beams`: K, rows of each sentence; `most_sentences`: how many
  /// there are at the same time, with idle ones.
  StepRunner(const TranslationModel& model, int64_t beams, int64_t most_sentences);

  int64_t sentences() const { return std::ssize(open_); }  // B
  int64_t beams() const { return beams_; }

  /// A sentence whose source is encoded.
  struct Sentence {
    int64_t position = 0;  // of the next token
    int64_t source_tokens = 0;
    int64_t source_keys = 0;
    std::vector<int64_t> pages = {};  // K for each block of PagePool::kPageSlots positions
    std::vector<int64_t> source_pages = {};

    int64_t slot(int64_t row, int64_t beams) const;  // of the token at `position`
    int64_t source_slot(int64_t key) const;
  };

  /// Encodes sentences, which end in end of sentence. They have no rows yet.
  std::vector<Sentence> encode(std::span<const std::vector<int32_t>* const> sources);

  /// Gives encoded sentences rows, which follow those of the others.
  void begin(std::vector<Sentence> encoded);

  /// Forgets an encoded sentence that never got rows.
  void release(const Sentence& encoded);

  /// Gives each row its next position. The step has `idle` more sentences, after the others, which
  /// only fill it up: their results are finite and unused.
  void advance(int64_t idle = 0);

  /// B includes idle sentences here. tokens: [B * K] int64, the last token of each row; begin of
  /// sentence at first. Returns hidden states [B * K, D].
  at::Tensor step(const at::Tensor& tokens);

  /// Row r continues row parents[r] of the same sentence; parents: [rows] int64, of the first
  /// rows.
  void follow(const at::Tensor& parents);

  /// Reorders and keeps only the sentences `kept` [B'], in that order; parents: [B' * K].
  void keep(std::span<const int64_t> kept, const at::Tensor& parents);

  /// Whether step() and follow() enqueue the same work for the same number of rows.
  bool has_fixed_work() const { return fixed_work_; }

  /// How often tensors that steps use have moved, which invalidates recorded graphs.
  int64_t moves() const { return moves_; }

 private:
  int64_t expected_slots() const;
  void send_numbers(int64_t idle);
  encoders::StepRows step_rows() const;
  void widen(at::Tensor& slots, int64_t columns);

  const TranslationModel& model_;
  const int64_t beams_;
  const at::Device device_;
  DecoderCache cache_;
  PagePool pool_;
  PagePool source_pool_;
  const int64_t idle_slot_;
  bool fixed_work_ = false;
  int64_t moves_ = 0;
  std::vector<Sentence> open_;
  // For the most sentences; those of a step come first.
  at::Tensor slots_;         // [most * K, T] int32
  at::Tensor source_slots_;  // [most, S] int32
  at::Tensor numbers_;       // [most * (3 K + 2)] int64: of step_rows()
  // Of the step:
  int64_t step_sentences_ = 0;  // with idle ones
  int64_t longest_ = 0;         // of the targets, with the new token
  int64_t longest_source_ = 0;
};

}  // namespace dietmt::nmt
