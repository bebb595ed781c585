#include "service/scheduling/request_queue.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "service/scheduling/scheduling_errors.h"

namespace dietmt::service {

struct RequestQueue::Request {
  std::vector<nmt::TranslationRequest> sentences;
  nmt::SearchOptions options;
  std::vector<nmt::NBest> translations;
  size_t next = 0;          // the first waiting sentence
  size_t unfinished = 0;    // sentences
  int64_t turn_tokens = 0;  // taken in this turn
  Clock::time_point arrival;
  std::exception_ptr error;
  std::atomic<bool> given_up = false;  // read by workers without the lock
  std::condition_variable finished;
};

namespace {

constexpr const char* kFull = "the translation queue is full; try again later";

int64_t source_tokens(const nmt::TranslationRequest& sentence) {
  return static_cast<int64_t>(sentence.source.size());
}

int64_t target_tokens(const nmt::NBest& translations) {
  return translations.empty() ? 0 : static_cast<int64_t>(translations.front().ids.size()) + 1;
}

}  // namespace

RequestQueue::RequestQueue(const QueueLimits& limits, std::shared_ptr<ModelObserver> observer)
    : limits_(limits), observer_(std::move(observer)) {}

std::vector<nmt::NBest> RequestQueue::translate(std::vector<nmt::TranslationRequest> sentences,
                                                const nmt::SearchOptions& options,
                                                const Patience& patience) {
  constexpr std::chrono::milliseconds kGlance{500};  // between looks at the client
  if (sentences.empty()) return {};
  const std::shared_ptr<Request> request = admit(std::move(sentences), options);
  std::unique_lock lock(mutex_);
  const auto done = [&] { return request->unfinished == 0 || request->error; };
  while (!done()) {
    const Clock::time_point now = Clock::now();
    if (now >= patience.deadline) {
      give_up(*request);
      throw DeadlineExceeded("the translation was not finished by the deadline");
    }
    request->finished.wait_until(lock, std::min(patience.deadline, now + kGlance), done);
    if (done() || !patience.client_gone) continue;
    lock.unlock();
    const bool gone = patience.client_gone();
    lock.lock();
    if (gone && !done()) {
      give_up(*request);
      throw ClientGone("the client closed its connection");
    }
  }
  if (request->error) std::rethrow_exception(request->error);
  return std::move(request->translations);
}

std::shared_ptr<RequestQueue::Request> RequestQueue::admit(
    std::vector<nmt::TranslationRequest> sentences, const nmt::SearchOptions& options) {
  int64_t tokens = 0;
  for (const nmt::TranslationRequest& sentence : sentences) tokens += source_tokens(sentence);

  const std::lock_guard lock(mutex_);
  if (closed_) throw Unavailable("the server is shutting down", 1);
  if (!waiting_.empty() && waiting_tokens_ + tokens > limits_.max_tokens)
    throw QueueFull(kFull, retry_after());

  auto request = std::make_shared<Request>();
  request->sentences = std::move(sentences);
  request->options = options;
  request->translations.resize(request->sentences.size());
  request->unfinished = request->sentences.size();
  request->arrival = Clock::now();
  waiting_tokens_ += tokens;
  waiting_.push_back(request);
  ++requests_;
  arrived_.notify_all();
  return request;
}

void RequestQueue::check_open() const {
  const std::lock_guard lock(mutex_);
  if (closed_) throw Unavailable("the server is shutting down", 1);
  if (waiting_tokens_ >= limits_.max_tokens) throw QueueFull(kFull, retry_after());
}

int64_t RequestQueue::retry_after() const {
  constexpr double kLongest = 120.0;
  const double rate = rate_.tokens_per_second();
  if (rate <= 0.0) return 1;
  const auto left = static_cast<double>(waiting_tokens_ + decoding_tokens_);
  return static_cast<int64_t>(std::clamp(std::ceil(left / rate), 1.0, kLongest));
}

void RequestQueue::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  arrived_.notify_all();
}

void RequestQueue::abort(std::exception_ptr error) {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  std::vector<std::shared_ptr<Request>> requests(waiting_.begin(), waiting_.end());
  for (const auto& [ticket, sentence] : decoding_) requests.push_back(sentence.request);
  for (const std::shared_ptr<Request>& request : requests) {
    if (request->given_up) continue;
    request->error = error;
    give_up(*request);
    request->finished.notify_all();
  }
  decoding_.clear();
  decoding_tokens_ = 0;
  arrived_.notify_all();
}

QueueLoad RequestQueue::load() const {
  const std::lock_guard lock(mutex_);
  return {requests_, waiting_tokens_, decoding_tokens_};
}

std::vector<nmt::FedSentence> RequestQueue::take(int64_t tokens, bool idle) {
  std::unique_lock lock(mutex_);
  if (idle) await_batch(lock, tokens);
  if (decoding_.empty()) rate_.start(Clock::now());

  std::vector<nmt::FedSentence> taken;
  while (!waiting_.empty()) {
    const std::shared_ptr<Request> request = waiting_.front();
    const int64_t size = source_tokens(request->sentences[request->next]);
    if (size > tokens && !(idle && taken.empty())) break;
    taken.push_back(hand_out(request));
    tokens -= size;
    const bool exhausted = request->next == request->sentences.size();
    if (!exhausted && request->turn_tokens < limits_.turn_tokens) continue;
    waiting_.pop_front();
    request->turn_tokens = 0;
    if (!exhausted) waiting_.push_back(request);
  }
  if (observer_ && !taken.empty()) {
    observer_->taken(static_cast<int64_t>(taken.size()),
                     static_cast<double>(decoding_tokens_) / static_cast<double>(limits_.capacity));
  }
  return taken;
}

// Waits for a full batch, until the oldest request has waited for fill_wait, or for close().
void RequestQueue::await_batch(std::unique_lock<std::mutex>& lock, int64_t tokens) {
  while (true) {
    arrived_.wait(lock, [&] { return closed_ || !waiting_.empty(); });
    if (closed_ || waiting_tokens_ >= tokens || limits_.fill_wait.count() == 0) return;
    Clock::time_point oldest = Clock::time_point::max();
    for (const std::shared_ptr<Request>& request : waiting_)
      oldest = std::min(oldest, request->arrival);
    const Clock::time_point until = oldest + limits_.fill_wait;
    if (Clock::now() >= until) return;
    arrived_.wait_until(lock, until);
  }
}

nmt::FedSentence RequestQueue::hand_out(const std::shared_ptr<Request>& request) {
  const size_t index = request->next++;
  const nmt::TranslationRequest& sentence = request->sentences[index];
  const int64_t size = source_tokens(sentence);
  request->turn_tokens += size;
  waiting_tokens_ -= size;
  decoding_tokens_ += size;
  decoding_.emplace(++last_ticket_, Decoding{request, index});
  return {last_ticket_, &sentence, &request->options, &request->given_up};
}

void RequestQueue::deliver(uint64_t ticket, nmt::NBest translations) {
  std::unique_lock lock(mutex_);
  const Decoding sentence = finish(ticket);
  if (!sentence.request) return;
  Request& request = *sentence.request;
  const int64_t size = source_tokens(request.sentences[sentence.index]);
  rate_.add(size, Clock::now());
  if (request.given_up) return;
  if (observer_) observer_->translated(size, target_tokens(translations));
  request.translations[sentence.index] = std::move(translations);
  if (--request.unfinished > 0) return;
  --requests_;
  lock.unlock();  // so that the woken thread does not block on it
  request.finished.notify_all();
}

void RequestQueue::fail(uint64_t ticket, std::exception_ptr error) {
  const std::lock_guard lock(mutex_);
  const Decoding sentence = finish(ticket);
  if (!sentence.request || sentence.request->given_up) return;
  sentence.request->error = error;
  give_up(*sentence.request);
  sentence.request->finished.notify_all();
}

void RequestQueue::drop(uint64_t ticket) {
  const std::lock_guard lock(mutex_);
  finish(ticket);
}

// Removes a sentence that a worker has finished or dropped; no request if it was removed before.
RequestQueue::Decoding RequestQueue::finish(uint64_t ticket) {
  const auto found = decoding_.find(ticket);
  if (found == decoding_.end()) return {};
  const Decoding sentence = found->second;
  decoding_tokens_ -= source_tokens(sentence.request->sentences[sentence.index]);
  decoding_.erase(found);
  return sentence;
}

// Removes the waiting sentences; workers see `given_up` and drop the others.
void RequestQueue::give_up(Request& request) {
  request.given_up = true;
  --requests_;
  for (size_t i = request.next; i < request.sentences.size(); ++i)
    waiting_tokens_ -= source_tokens(request.sentences[i]);
  std::erase_if(waiting_, [&](const auto& one) { return one.get() == &request; });
}

}  // namespace dietmt::service
