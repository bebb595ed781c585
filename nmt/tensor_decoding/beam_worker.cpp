#include "nmt/tensor_decoding/beam_worker.h"

#include <c10/util/Exception.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "encoders/device/device.h"

namespace dietmt::nmt {
namespace {

constexpr int64_t kUsualLength = 128;

// Half of the free memory is for rows: their logits, three times in fp32 if no kernel selects among
// them, and the keys and values of translations and sources of usual length.
int64_t rows_that_fit(const TranslationModel& model, int64_t most) {
  constexpr int64_t kBytesOfALogit = 12;
  const std::optional<int64_t> free = encoders::free_device_memory(model.output_weight().device());
  if (!free) return most;
  const DecoderCache cache = model.empty_cache();
  const int64_t token = cache.slot_bytes() + cache.source_slot_bytes();
  const int64_t bytes = model.config().target_vocabulary * kBytesOfALogit + kUsualLength * token;
  return std::min(most, *free / 2 / bytes);
}

// Urgent sentences come before the others.
template <typename Sentence, typename IsUrgent>
void put(std::deque<Sentence>& queue, Sentence sentence, const IsUrgent& is_urgent) {
  const auto place =
      is_urgent(sentence) ? std::find_if_not(queue.begin(), queue.end(), is_urgent) : queue.end();
  queue.insert(place, std::move(sentence));
}

void warn_of_failure(const char* problem) {
  spdlog::warn("a decoding step failed, its sentences are decoded one by one: {}", problem);
}

}  // namespace

struct BeamWorker::OpenSentence {
  OpenSentence(const FedSentence& from, const SpecialTokens& special, int64_t max_target_length)
      : fed(from),
        load(from.load()),
        task(search_task(*from.request, *from.options, max_target_length)),
        beam(task, special, *from.options) {}

  bool is_last_step() const { return position >= task.max_length; }

  FedSentence fed;               // not to be read once the feed has the result
  StepRunner::Sentence encoded;  // until it has rows
  int64_t load;
  SearchTask task;
  Beam beam;             // a step behind the device
  int64_t position = 0;  // steps sent to the device
  bool closed = false;   // the feed has the result
};

BeamWorker::BeamWorker(const DecodingModel& model, const SpecialTokens& special,
                       const RequestLimits& limits, int64_t most_rows)
    : model_(*model.model),
      precision_(model.precision),
      special_(special),
      limits_(limits),
      most_rows_(most_rows) {}

BeamWorker::~BeamWorker() = default;

void BeamWorker::run(SentenceFeed& feed, int64_t batch_tokens, const HostSearches& on_host) {
  feed_ = &feed;
  on_host_ = &on_host;
  batch_tokens_ = batch_tokens;
  const int64_t sentences = runner_ ? admission_.most_open : rows_that_fit(model_, most_rows_);
  admission_ = {sentences, std::min(batch_tokens, sentences * kUsualLength)};
  while (run_step()) {
  }
}

// Returns false, and decodes the sentences one by one, if the work of the device fails. What a feed
// throws goes to the caller of run().
bool BeamWorker::attempt(const std::function<void()>& work) {
  try {
    work();
    return true;
  } catch (const c10::Error& error) {
    warn_of_failure(error.what_without_backtrace());
  } catch (const std::exception& error) {
    warn_of_failure(error.what());
  }
  decode_alone();
  return false;
}

// Returns false at the end of the feed.
bool BeamWorker::run_step() {
  drop_abandoned();
  if (!attempt([&] { leave(); })) return true;
  if (open_.empty()) read_last();
  if (!admit()) return false;
  if (open_.empty()) return true;
  std::optional<Step> now;
  if (!attempt([&] { now.emplace(enqueue_step()); })) return true;
  const bool was_read = read_last();
  if (was_read) last_ = std::move(now);
  return true;
}

void BeamWorker::drop_abandoned() {
  for (const auto& sentence : open_) {
    if (sentence->closed || !sentence->fed.is_abandoned()) continue;
    sentence->closed = true;
    feed_->drop(sentence->fed.ticket);
  }
  std::erase_if(encoded_, [&](const auto& sentence) {
    if (!sentence->fed.is_abandoned()) return false;
    runner_->release(sentence->encoded);
    feed_->drop(sentence->fed.ticket);
    return true;
  });
}

// Rows of finished sentences, and of those whose last step has been enqueued, leave the device.
void BeamWorker::leave() {
  if (open_.empty()) return;
  std::vector<std::shared_ptr<OpenSentence>> still_open;
  std::vector<int64_t> kept, rows;
  for (size_t b = 0; b < open_.size(); ++b) {
    if (open_[b]->closed || open_[b]->is_last_step()) continue;
    still_open.push_back(open_[b]);
    kept.push_back(static_cast<int64_t>(b));
    for (int64_t k = 0; k < runner_->beams(); ++k)
      rows.push_back(kept.back() * runner_->beams() + k);
  }
  if (still_open.size() == open_.size()) return;
  const at::Tensor places = sent(rows, model_.output_weight().device());
  runner_->keep(kept, beams_->parents(std::ssize(open_)).index_select(0, places));
  beams_->keep(places);
  open_ = std::move(still_open);
}

int64_t BeamWorker::load() const {
  int64_t sum = 0;
  for (const auto& sentence : open_) sum += sentence->load;
  for (const auto& sentence : encoded_) sum += sentence->load;
  for (const FedSentence& sentence : waiting_) sum += sentence.load();
  return sum;
}

// Fills the batch. Returns false if nothing is left to decode.
bool BeamWorker::admit() {
  encode_waiting();
  open_encoded();
  const bool idle = open_.empty();
  if (idle && !waiting_.empty()) return true;
  const int64_t taken = load(), waiting = std::ssize(encoded_) + std::ssize(waiting_);
  const int64_t room = admission_.room(taken, waiting, idle);
  const int64_t urgent_room = admission_.urgent_room(taken);
  std::vector<FedSentence> fed;
  if (room > 0) fed = feed_->take(room, idle);
  if (!idle && fed.empty() && urgent_room > 0) fed = feed_->take_urgent(urgent_room);
  if (fed.empty()) return !idle;
  sort_out(fed);
  encode_waiting();
  open_encoded();
  return true;
}

void BeamWorker::sort_out(std::span<const FedSentence> fed) {
  std::vector<FedSentence> others;
  for (const FedSentence& one : fed) {
    if (one.is_abandoned()) {
      feed_->drop(one.ticket);
      continue;
    }
    try {
      require_fitting(*one.request, limits_);
    } catch (...) {
      feed_->fail(one.ticket, std::current_exception());
      continue;
    }
    if (on_host_->need(one))
      others.push_back(one);
    else
      put(waiting_, one, [](const FedSentence& other) { return other.is_urgent; });
  }
  if (!others.empty()) on_host_->run(others);
}

// Graphs must go before the tensors that they use.
void BeamWorker::clear() {
  steps_.reset();
  beams_.reset();
  runner_.reset();
}

// Prepares for sentences of one beam size.
void BeamWorker::prepare(int64_t beam) {
  clear();
  const at::Device device = model_.output_weight().device();
  const int64_t most =
      RecordedSteps::largest_size(std::max<int64_t>(1, rows_that_fit(model_, most_rows_) / beam));
  runner_ = std::make_unique<StepRunner>(model_, beam, most);
  beams_ = std::make_unique<DeviceBeams>(beam, special_, most, device);
  const bool fixed =
      runner_->has_fixed_work() && beams_->has_fixed_work(model_.config().target_vocabulary);
  if (fixed && !graphs_) graphs_ = encoders::graphs_of(device);
  steps_ = std::make_unique<RecordedSteps>(fixed ? graphs_.get() : nullptr);
  admission_ = {most, std::min(batch_tokens_, most * kUsualLength)};
}

// Encodes the first waiting sentences of one beam size.
void BeamWorker::encode_waiting() {
  if (waiting_.empty()) return;
  const encoders::PassPrecisionScope scope(precision_);
  const int64_t beam = waiting_.front().options->beam;
  if (open_.empty() && encoded_.empty() && (!runner_ || runner_->beams() != beam)) {
    try {
      prepare(beam);
    } catch (...) {
      clear();
      const uint64_t ticket = waiting_.front().ticket;
      waiting_.pop_front();
      return feed_->fail(ticket, std::current_exception());
    }
  }
  if (runner_->beams() != beam) return;
  std::vector<std::shared_ptr<OpenSentence>> sentences;
  std::vector<const std::vector<int32_t>*> sources;
  for (; !waiting_.empty() && waiting_.front().options->beam == beam; waiting_.pop_front()) {
    sentences.push_back(
        std::make_shared<OpenSentence>(waiting_.front(), special_, limits_.max_target_length));
    sources.push_back(&waiting_.front().request->source);
    put(encoded_, sentences.back(), [](const auto& other) { return other->fed.is_urgent; });
  }
  attempt([&] {
    std::vector<StepRunner::Sentence> encoded = runner_->encode(sources);
    for (size_t i = 0; i < encoded.size(); ++i) sentences[i]->encoded = std::move(encoded[i]);
  });
}

void BeamWorker::open_encoded() {
  const int64_t count = admission_.to_open(std::ssize(open_), std::ssize(encoded_));
  if (count == 0) return;
  std::vector<StepRunner::Sentence> begun;
  for (int64_t i = 0; i < count; ++i) {
    open_.push_back(encoded_.front());
    encoded_.pop_front();
    begun.push_back(std::move(open_.back()->encoded));
  }
  attempt([&] {
    runner_->begin(std::move(begun));
    beams_->add(count);
  });
}

BeamWorker::Step BeamWorker::enqueue_step() {
  std::vector<DeviceBeams::Limits> limits;
  for (const auto& sentence : open_) {
    limits.push_back({sentence->task.forced_token(sentence->position, special_),
                      sentence->position >= sentence->task.min_length});
    ++sentence->position;
  }
  const encoders::PassPrecisionScope scope(precision_);
  const int64_t sentences = std::ssize(open_), size = steps_->size_of(sentences);
  runner_->advance(size - sentences);
  beams_->limit(limits, size - sentences);
  const at::Tensor candidates = steps_->run(size, runner_->moves(), [&] {
    runner_->follow(beams_->parents(size));
    return beams_->advance(model_.logits(runner_->step(beams_->tokens(size))));
  });
  return {open_, encoders::DelayedCopy(candidates.narrow(0, 0, sentences))};
}

// Delivers what the previous step has finished. Returns false if it could not be read; then nothing
// is open.
bool BeamWorker::read_last() {
  if (!last_) return true;
  at::Tensor candidates;
  if (!attempt([&] { candidates = last_->candidates.wait(); })) return false;
  const Step step = std::move(*last_);
  last_.reset();
  for (size_t b = 0; b < step.sentences.size(); ++b) {
    OpenSentence& sentence = *step.sentences[b];
    if (sentence.closed) continue;
    const auto own = candidates_of(candidates, static_cast<int64_t>(b), sentence.beam);
    if (sentence.beam.advance(own)) continue;
    sentence.closed = true;
    try {
      feed_->deliver(sentence.fed.ticket, std::move(sentence.beam).result());
    } catch (const DataError&) {
      feed_->fail(sentence.fed.ticket, std::current_exception());
    }
  }
  return true;
}

// After an error the state of the rows is unknown: each sentence restarts separately.
void BeamWorker::decode_alone() {
  std::vector<std::shared_ptr<OpenSentence>> all = std::move(open_);
  if (last_) all.insert(all.end(), last_->sentences.begin(), last_->sentences.end());
  all.insert(all.end(), encoded_.begin(), encoded_.end());
  open_.clear();
  encoded_.clear();
  last_.reset();
  clear();
  for (const auto& sentence : all) {
    if (std::exchange(sentence->closed, true)) continue;
    on_host_->run({&sentence->fed, 1});
  }
}

}  // namespace dietmt::nmt
