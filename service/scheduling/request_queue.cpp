#include "service/scheduling/request_queue.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include "nmt/translation/document_context.h"
#include "service/scheduling/scheduling_errors.h"

namespace dietmt::service {

struct RequestQueue::Request : std::enable_shared_from_this<RequestQueue::Request> {
  std::vector<nmt::TranslationRequest> sentences;
  nmt::SearchOptions options;
  double weight = 1.0;  // of its source tokens
  Priority priority = Priority::kShort;
  std::vector<nmt::NBest> translations;
  size_t next = 0;        // the first waiting sentence
  size_t unfinished = 0;  // sentences
  Clock::time_point arrival;

  bool exhausted() const { return next == sentences.size(); }
  nmt::FedSentence sentence(size_t index) const {
    return {.request = &sentences[index],
            .options = &options,
            .abandoned = &given_up,
            .is_urgent = priority == Priority::kShort,
            .weight = weight};
  }
  std::exception_ptr error;
  std::atomic<bool> given_up = false;  // read by workers without the lock
  std::condition_variable finished;
};

namespace {

constexpr const char* kFull = "the translation queue is full; try again later";

// Relative to the default beam, for which batch sizes are chosen. Narrower beams still encode as
// many tokens.
double weight_of(const nmt::SearchOptions& options) {
  const auto rows = static_cast<double>(options.sample ? options.nbest : options.beam);
  return std::max(1.0, rows / static_cast<double>(nmt::SearchOptions().beam));
}

int64_t target_tokens(const nmt::NBest& translations) {
  return translations.empty() ? 0 : static_cast<int64_t>(translations.front().ids.size()) + 1;
}

}  // namespace

RequestQueue::RequestQueue(const QueueLimits& limits, std::shared_ptr<ModelObserver> observer)
    : limits_(limits), observer_(std::move(observer)), waiting_(limits.turn_tokens) {}

std::vector<nmt::NBest> RequestQueue::translate(std::vector<nmt::TranslationRequest> sentences,
                                                const nmt::SearchOptions& options,
                                                const Patience& patience) {
  if (sentences.empty()) return {};
  const std::shared_ptr<Request> request = admit(std::move(sentences), options, patience);
  std::unique_lock lock(mutex_);
  try {
    patience.await(lock, request->finished,
                   [&] { return request->unfinished == 0 || request->error; });
  } catch (...) {
    give_up(*request);
    throw;
  }
  if (request->error) std::rethrow_exception(request->error);
  return std::move(request->translations);
}

std::shared_ptr<RequestQueue::Request> RequestQueue::admit(
    std::vector<nmt::TranslationRequest> sentences, const nmt::SearchOptions& options,
    const Patience& patience) {
  int64_t tokens = 0;
  for (const nmt::TranslationRequest& sentence : sentences) tokens += sentence.work();
  auto request = std::make_shared<Request>();
  request->weight = weight_of(options);
  const bool is_long =
      static_cast<double>(tokens) * request->weight > static_cast<double>(limits_.turn_tokens);
  request->priority = patience.is_batch ? Priority::kBatch
                      : is_long         ? Priority::kLong
                                        : Priority::kShort;

  const std::lock_guard lock(mutex_);
  if (closed_) throw Unavailable("the server is shutting down", 1);
  int64_t& waiting = waiting_tokens_[static_cast<size_t>(request->priority)];
  if (waiting > 0 && waiting + tokens > limits_.max_tokens) throw QueueFull(kFull, retry_after());

  request->sentences = std::move(sentences);
  request->options = options;
  request->translations.resize(request->sentences.size());
  request->unfinished = request->sentences.size();
  request->arrival = Clock::now();
  waiting += tokens;
  waiting_.add(request->priority, patience.client, request);
  ++requests_;
  arrived_.notify_all();
  return request;
}

void RequestQueue::check_open() const {
  const std::lock_guard lock(mutex_);
  if (closed_) throw Unavailable("the server is shutting down", 1);
  if (waiting_tokens_.front() >= limits_.max_tokens) throw QueueFull(kFull, retry_after());
}

int64_t RequestQueue::waiting_tokens() const {
  return std::accumulate(waiting_tokens_.begin(), waiting_tokens_.end(), int64_t{0});
}

int64_t RequestQueue::retry_after() const {
  constexpr double kLongest = 120.0;
  const double rate = rate_.tokens_per_second();
  if (rate <= 0.0) return 1;
  const auto left = static_cast<double>(waiting_tokens() + decoding_tokens_);
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
  std::vector<std::shared_ptr<Request>> requests = waiting_.items();
  for (const auto& [ticket, sentence] : decoding_) requests.push_back(sentence.request);
  for (const std::shared_ptr<Request>& request : requests) {
    if (request->given_up) continue;
    request->error = error;
    give_up(*request);
    request->finished.notify_all();
  }
  decoding_.clear();
  decoding_tokens_ = 0;
  decoding_load_ = 0;
  arrived_.notify_all();
}

QueueLoad RequestQueue::load() const {
  const std::lock_guard lock(mutex_);
  return {requests_, waiting_tokens(), decoding_tokens_};
}

std::vector<nmt::FedSentence> RequestQueue::take(int64_t room, bool idle) {
  std::unique_lock lock(mutex_);
  if (idle) await_batch(lock, room);
  if (decoding_.empty()) rate_.start(Clock::now());

  std::vector<nmt::FedSentence> taken;
  while (!waiting_.empty()) {
    const std::shared_ptr<Request> request = waiting_.next();
    const int64_t load = request->sentence(request->next).load();
    if (load > room && !(idle && taken.empty())) break;
    room -= load;
    taken.push_back(hand_out(*request));
  }
  observe(taken);
  return taken;
}

std::vector<nmt::FedSentence> RequestQueue::take_urgent(int64_t room) {
  const std::lock_guard lock(mutex_);
  std::vector<nmt::FedSentence> taken;
  while (waiting_.has(Priority::kShort)) {
    const std::shared_ptr<Request> request = waiting_.next(Priority::kShort);
    const int64_t load = request->sentence(request->next).load();
    if (load > room) break;
    room -= load;
    taken.push_back(hand_out(*request));
  }
  observe(taken);
  return taken;
}

void RequestQueue::observe(const std::vector<nmt::FedSentence>& taken) {
  if (!observer_ || taken.empty()) return;
  observer_->taken(static_cast<int64_t>(taken.size()),
                   static_cast<double>(decoding_load_) / static_cast<double>(limits_.capacity));
}

// Waits until a batch is full, the oldest request has waited for fill_wait, or the queue closes.
void RequestQueue::await_batch(std::unique_lock<std::mutex>& lock, int64_t tokens) {
  while (true) {
    arrived_.wait(lock, [&] { return closed_ || !waiting_.empty(); });
    if (closed_ || waiting_tokens() >= tokens || limits_.fill_wait.count() == 0) return;
    Clock::time_point oldest = Clock::time_point::max();
    for (const std::shared_ptr<Request>& request : waiting_.items())
      oldest = std::min(oldest, request->arrival);
    const Clock::time_point until = oldest + limits_.fill_wait;
    if (Clock::now() >= until) return;
    arrived_.wait_until(lock, until);
  }
}

// Hands out the next sentence of the request whose turn it is.
nmt::FedSentence RequestQueue::hand_out(Request& request) {
  const size_t index = request.next++;
  nmt::FedSentence sentence = request.sentence(index);
  const int64_t size = sentence.request->work();
  waiting_tokens_[static_cast<size_t>(request.priority)] -= size;
  decoding_tokens_ += size;
  decoding_load_ += sentence.load();
  waiting_.charge(sentence.load(), request.exhausted());
  sentence.ticket = ++last_ticket_;
  decoding_.emplace(sentence.ticket, Decoding{request.shared_from_this(), index});
  return sentence;
}

void RequestQueue::deliver(uint64_t ticket, nmt::NBest translations) {
  std::unique_lock lock(mutex_);
  const Decoding sentence = finish(ticket);
  if (!sentence.request) return;
  Request& request = *sentence.request;
  const nmt::TranslationRequest& source = request.sentences[sentence.index];
  rate_.add(source.work(), Clock::now());
  if (request.given_up) return;
  if (observer_) observer_->translated(std::ssize(source.source), target_tokens(translations));
  nmt::drop_context(request.sentences[sentence.index], request.options, translations);
  request.translations[sentence.index] = std::move(translations);
  if (--request.unfinished > 0) return;
  --requests_;
  lock.unlock();  // or the woken thread would block on it
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

// Removes a finished or dropped sentence; returns no request if it was removed before.
RequestQueue::Decoding RequestQueue::finish(uint64_t ticket) {
  const auto found = decoding_.find(ticket);
  if (found == decoding_.end()) return {};
  const Decoding sentence = found->second;
  const nmt::FedSentence fed = sentence.request->sentence(sentence.index);
  decoding_tokens_ -= fed.request->work();
  decoding_load_ -= fed.load();
  decoding_.erase(found);
  return sentence;
}

// Removes the waiting sentences; workers see `given_up` and drop the others.
void RequestQueue::give_up(Request& request) {
  request.given_up = true;
  --requests_;
  for (size_t i = request.next; i < request.sentences.size(); ++i)
    waiting_tokens_[static_cast<size_t>(request.priority)] -= request.sentences[i].work();
  waiting_.remove(request.shared_from_this());
}

}  // namespace dietmt::service
