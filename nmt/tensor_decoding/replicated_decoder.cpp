#include "nmt/tensor_decoding/replicated_decoder.h"

#include <future>
#include <mutex>
#include <set>
#include <utility>

namespace dietmt::nmt {
namespace {

// The part of a feed that one replica takes.
class ReplicaFeed : public SentenceFeed {
 public:
  ReplicaFeed(SentenceFeed& whole, int64_t replicas) : whole_(whole), replicas_(replicas) {}

  // An idle replica leaves as much to the others, so that all of them work on a short text.
  std::vector<FedSentence> take(int64_t room, bool idle) override {
    return noted(whole_.take(idle ? std::max<int64_t>(1, room / replicas_) : room, idle));
  }
  std::vector<FedSentence> take_urgent(int64_t room) override {
    return noted(whole_.take_urgent(room));
  }
  void deliver(uint64_t ticket, NBest translations) override {
    forget(ticket);
    whole_.deliver(ticket, std::move(translations));
  }
  void fail(uint64_t ticket, std::exception_ptr error) override {
    forget(ticket);
    whole_.fail(ticket, std::move(error));
  }
  void drop(uint64_t ticket) override {
    forget(ticket);
    whole_.drop(ticket);
  }

  // Fails the sentences that the replica has not answered.
  void fail_all(const std::exception_ptr& error) {
    const std::set<uint64_t> left = std::exchange(taken_, {});
    for (const uint64_t ticket : left) whole_.fail(ticket, error);
  }

 private:
  std::vector<FedSentence> noted(std::vector<FedSentence> sentences) {
    const std::lock_guard lock(mutex_);
    for (const FedSentence& one : sentences) taken_.insert(one.ticket);
    return sentences;
  }
  void forget(uint64_t ticket) {
    const std::lock_guard lock(mutex_);
    taken_.erase(ticket);
  }

  SentenceFeed& whole_;
  const int64_t replicas_;
  std::mutex mutex_;
  std::set<uint64_t> taken_;  // and not answered
};

}  // namespace

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
  const auto run_one = [&](const Replica& replica) -> std::exception_ptr {
    ReplicaFeed own(feed, std::ssize(replicas_));
    try {
      replica.decoder->run(own, workers, threads, batch_tokens);
      return nullptr;
    } catch (...) {
      own.fail_all(std::current_exception());
      return std::current_exception();
    }
  };
  std::vector<std::future<std::exception_ptr>> others;
  for (size_t i = 1; i < replicas_.size(); ++i)
    others.push_back(std::async(std::launch::async, [&, i] { return run_one(replicas_[i]); }));
  std::exception_ptr failure = run_one(replicas_.front());
  for (auto& other : others)
    if (const std::exception_ptr found = other.get(); found && !failure) failure = found;
  if (failure) std::rethrow_exception(failure);
}

}  // namespace dietmt::nmt
