#include "nmt/tensor_decoding/beam_worker.h"

#include <c10/util/Exception.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

namespace dietmt::nmt {
namespace {

// Batches keep their caches and graphs for later sentences.
constexpr size_t kMostBatches = 4;

void warn_of_failure(const char* problem) {
  spdlog::warn("a decoding step failed, its sentences are decoded one by one: {}", problem);
}

}  // namespace

BeamWorker::BeamWorker(const DecodingModel& model, const SpecialTokens& special,
                       const RequestLimits& limits, int64_t most_rows)
    : model_(model),
      special_(special),
      limits_(limits),
      most_rows_(rows_that_fit(model, most_rows)) {}

BeamWorker::~BeamWorker() = default;

void BeamWorker::run(SentenceFeed& feed, int64_t batch_tokens, const HostSearches& on_host) {
  feed_ = &feed;
  on_host_ = &on_host;
  admission_ = {std::min(batch_tokens, most_rows_ * kUsualLength)};
  while (take_turn(true)) search_on_host();
}

// Other sentences take their turns between the steps. What a feed throws then is thrown at the end.
void BeamWorker::search_on_host() {
  std::exception_ptr failure;
  const auto between_steps = [&] {
    if (failure) return;
    try {
      take_turn(false);
    } catch (...) {
      failure = std::current_exception();
    }
  };
  while (!failed_.empty() || !for_host_.empty()) {
    // Nothing else runs, since memory may be short.
    for (const FedSentence& one : wanted(std::exchange(failed_, {})))
      on_host_->run({&one, 1}, [] {});
    const std::vector<FedSentence> sentences = wanted(std::exchange(for_host_, {}));
    for (const FedSentence& one : sentences) host_load_ += one.load();
    if (!sentences.empty()) on_host_->run(sentences, between_steps);
    host_load_ = 0;
    if (failure) std::rethrow_exception(failure);
  }
}

// Without those that nobody waits for.
std::vector<FedSentence> BeamWorker::wanted(std::vector<FedSentence> sentences) {
  std::erase_if(sentences, [&](const FedSentence& one) {
    if (one.is_abandoned()) feed_->drop(one.ticket);
    return one.is_abandoned();
  });
  return sentences;
}

// If the work of the device fails, leaves the sentences of the batch to the host, one by one, and
// returns false. What a feed throws goes to the caller of run().
bool BeamWorker::attempt(int64_t beam, const std::function<void(BeamBatch&)>& work) {
  try {
    work(*batches_.at(beam));
    return true;
  } catch (const c10::Error& error) {
    warn_of_failure(error.what_without_backtrace());
  } catch (const std::exception& error) {
    warn_of_failure(error.what());
  }
  const std::unique_ptr<BeamBatch> failed = std::move(batches_.extract(beam).mapped());
  std::ranges::move(failed->unfinished(), std::back_inserter(failed_));
  forget_empty_batches();
  return false;
}

// For each batch; `work` may fail.
template <typename Work>
void BeamWorker::attempt_all(const Work& work) {
  for (auto next = batches_.begin(); next != batches_.end();) {
    const int64_t beam = (next++)->first;
    if (attempt(beam, work)) batches_.at(beam)->deliver(*feed_);
  }
}

int64_t BeamWorker::sum(int64_t (BeamBatch::*number)() const) const {
  int64_t all = 0;
  for (const auto& [beam, batch] : batches_) all += ((*batch).*number)();
  return all;
}

// A step of each batch, after sentences have left and entered. Returns false at the end of the
// feed.
bool BeamWorker::take_turn(bool may_wait) {
  for (const auto& [beam, batch] : batches_) batch->drop_abandoned(*feed_);
  attempt_all([](BeamBatch& batch) {
    batch.leave();
    batch.open_encoded();
    if (batch.open() == 0) batch.step();  // reads the last one
  });
  if (!admit(may_wait)) return false;
  attempt_all([](BeamBatch& batch) {
    if (batch.open() > 0) batch.step();
  });
  return true;
}

// Fills the batches. Returns false if nothing is left to decode.
bool BeamWorker::admit(bool may_wait) {
  const bool idle = may_wait && sum(&BeamBatch::open) == 0 && failed_.empty() && for_host_.empty();
  int64_t load = sum(&BeamBatch::load) + host_load_;
  for (const FedSentence& sentence : for_host_) load += sentence.load();
  const int64_t room = admission_.room(load, sum(&BeamBatch::waiting), idle);
  const int64_t urgent_room = admission_.urgent_room(load);
  std::vector<FedSentence> fed;
  if (room > 0) fed = feed_->take(room, idle);
  if (!idle && fed.empty() && urgent_room > 0) fed = feed_->take_urgent(urgent_room);
  if (fed.empty()) return !idle;
  encode(fitting(std::move(fed)));
  return true;
}

// Without sentences that the model cannot read, and those for the host.
std::vector<FedSentence> BeamWorker::fitting(std::vector<FedSentence> fed) {
  std::vector<FedSentence> fitting;
  for (const FedSentence& one : wanted(std::move(fed))) {
    try {
      require_fitting(*one.request, limits_);
    } catch (...) {
      feed_->fail(one.ticket, std::current_exception());
      continue;
    }
    (on_host_->need(one) ? for_host_ : fitting).push_back(one);
  }
  return fitting;
}

void BeamWorker::encode(std::span<const FedSentence> fed) {
  std::map<int64_t, std::vector<FedSentence>> by_beam;
  for (const FedSentence& one : fed) by_beam[one.options->beam].push_back(one);
  for (const auto& [beam, sentences] : by_beam) {
    try {
      batch_of(beam);
    } catch (const std::exception& error) {
      warn_of_failure(error.what());
      failed_.insert(failed_.end(), sentences.begin(), sentences.end());
      continue;
    }
    attempt(beam, [&](BeamBatch& batch) {
      batch.encode(sentences, *feed_);
      batch.open_encoded();
    });
  }
}

bool BeamWorker::forget_empty_batches() {
  return std::erase_if(batches_, [](const auto& item) { return item.second->is_empty(); }) > 0;
}

// Makes it if there is none. Empty ones go if there are many, or too little memory.
BeamBatch& BeamWorker::batch_of(int64_t beam) {
  const encoders::PassPrecisionScope scope(model_.precision);
  const auto make = [&] {
    return std::make_unique<BeamBatch>(model_, special_, limits_.max_target_length, beam,
                                       most_rows_ / beam, graphs_);
  };
  const auto found = batches_.find(beam);
  if (found != batches_.end()) return *found->second;
  if (batches_.size() >= kMostBatches) forget_empty_batches();
  std::unique_ptr<BeamBatch> made;
  try {
    made = make();
  } catch (const c10::OutOfMemoryError&) {
    if (!forget_empty_batches()) throw;
    made = make();
  }
  return *batches_.emplace(beam, std::move(made)).first->second;
}

}  // namespace dietmt::nmt
