// One worker of continuous decoding: takes sentences from a feed, decodes one token at a time for
// all their hypotheses, and returns each sentence as soon as it is finished.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <vector>

#include "nmt/engine/engine_model.h"
#include "nmt/engine/model_runner.h"
#include "nmt/engine/open_sentence.h"
#include "nmt/engine/token_selector.h"
#include "nmt/search/sentence_feed.h"

namespace dietmt::nmt {

class DecodingWorker {
 public:
  /// Keeps references to the models (several form an ensemble), to `special`, and to `shortlist`,
  /// which may be empty. Throws Error if the system cannot start `threads` threads.
  DecodingWorker(std::span<const EngineModel> models, const SpecialTokens& special,
                 const OutputShortlist& shortlist, int64_t threads);
  ~DecodingWorker();

  /// Decodes until the feed ends, at most a load of `batch_tokens` at a time, and as much again of
  /// urgent sentences. The threads, and the memory of a few sentences, stay for the next run, which
  /// must not follow one that has thrown.
  void run(SentenceFeed& feed, int64_t batch_tokens);

 private:
  void make_runners();
  void give_back_memory();
  bool admit();
  void open(const std::vector<FedSentence>& fed);
  std::unique_ptr<OpenSentence> begin(const FedSentence& fed);
  void encode(std::span<OpenSentence* const> sentences);

  void decode_step();
  void drop_abandoned();
  void choose_sentences();
  void gather_rows();
  void read_rows();
  void read_sentence(OpenSentence& sentence, int64_t first, int64_t count, int64_t at);
  void advance();
  void deliver(OpenSentence& sentence);
  void close(size_t index);
  void fail_all(std::exception_ptr error);

  std::span<const EngineModel> models_;
  const SpecialTokens& special_;
  const OutputShortlist& shortlist_;
  SentenceFeed* feed_ = nullptr;  // of this run
  int64_t batch_tokens_ = 0;
  ThreadTeam team_;
  std::vector<std::unique_ptr<ModelRunner>> runners_;  // of the models
  SlotPool slots_;
  TokenDraw draw_;
  TokenSelector selector_;
  std::vector<std::unique_ptr<OpenSentence>> open_;
  std::vector<std::unique_ptr<OpenSentence>> spare_;  // their memory is used again
  int64_t load_ = 0;                                  // of open_
  int64_t urgent_load_ = 0;                           // of the urgent ones in open_
  int64_t urgent_rows_ = 0;                           // decoded while the others waited
  std::chrono::steady_clock::time_point next_giving_back_;

  // State of one step.
  size_t chosen_ = 0;                         // the first ones of open_ take part
  std::vector<int32_t> tokens_;               // [rows]
  std::vector<OpenSentence*> owners_;         // [rows]
  std::vector<StepSentence> step_sentences_;  // of one model
  std::vector<const float*> logits_;          // of the models
};

}  // namespace dietmt::nmt
