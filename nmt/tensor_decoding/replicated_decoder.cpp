#include "nmt/tensor_decoding/replicated_decoder.h"

#include <future>
#include <utility>

namespace dietmt::nmt {

ReplicatedDecoder::ReplicatedDecoder(std::vector<Replica> replicas)
    : replicas_(std::move(replicas)) {}

int64_t ReplicatedDecoder::max_source_length() const {
  return replicas_.front().decoder->max_source_length();
}

int64_t ReplicatedDecoder::max_target_length() const {
  return replicas_.front().decoder->max_target_length();
}

bool ReplicatedDecoder::aligns() const { return replicas_.front().decoder->aligns(); }

int64_t ReplicatedDecoder::capacity(int64_t workers, int64_t batch_tokens) const {
  return std::ssize(replicas_) * replicas_.front().decoder->capacity(workers, batch_tokens);
}

void ReplicatedDecoder::run(SentenceFeed& feed, int64_t workers, int64_t threads,
                            int64_t batch_tokens) const {
  const auto run_one = [&](const Replica& replica) {
    replica.decoder->run(feed, workers, threads, batch_tokens);
  };
  std::vector<std::future<void>> others;
  for (size_t i = 1; i < replicas_.size(); ++i)
    others.push_back(std::async(std::launch::async, [&, i] { run_one(replicas_[i]); }));
  run_one(replicas_.front());
  for (std::future<void>& other : others) other.get();
}

}  // namespace dietmt::nmt
