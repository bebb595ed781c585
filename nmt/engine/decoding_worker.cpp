#include "nmt/engine/decoding_worker.h"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "common/memory_use.h"
#include "nmt/search/coverage.h"

namespace dietmt::nmt {
namespace {

// Logits are computed for so many rows at a time, and stay in the CPU cache until they are read. Of
// a large vocabulary they are fewer, but enough for a product with the weights that it reads.
int64_t logit_rows(int64_t vocabulary) {
  constexpr int64_t kFewest = 16, kMost = 64;
  constexpr int64_t kNumbers = 1 << 23;
  return std::clamp(kNumbers / vocabulary, kFewest, kMost);
}

// Urgent sentences may decode so many times the rows of the others before these get a step.
constexpr int64_t kUrgentShare = 4;

}  // namespace

DecodingWorker::DecodingWorker(std::span<const EngineModel> models, const SpecialTokens& special,
                               const OutputShortlist& shortlist, int64_t threads)
    : models_(models),
      special_(special),
      shortlist_(shortlist),
      team_(threads),
      selector_(models.front().weights->target_vocabulary),
      logits_(models.size()) {
  make_runners();
}

DecodingWorker::~DecodingWorker() = default;

void DecodingWorker::make_runners() {
  runners_.clear();
  for (const EngineModel& model : models_)
    runners_.push_back(std::make_unique<ModelRunner>(model, team_));
}

// A large batch takes hundreds of megabytes, which an idle worker would keep. The memory of a few
// sentences stays: a server that decodes one at a time is idle between them. New memory costs
// milliseconds, so one client's requests in turn do not pay for it each time.
void DecodingWorker::give_back_memory() {
  constexpr size_t kFew = 16;  // sentences that were open together
  constexpr std::chrono::seconds kRest{10};
  const auto now = std::chrono::steady_clock::now();
  if (now < next_giving_back_) return;
  if (spare_.size() <= kFew && slots_.size() <= SlotPool::kFewest) return;
  next_giving_back_ = now + kRest;
  spare_.clear();
  slots_ = SlotPool();
  make_runners();
  return_free_memory();
}

void DecodingWorker::run(SentenceFeed& feed, int64_t batch_tokens) {
  feed_ = &feed;
  batch_tokens_ = batch_tokens;
  while (admit()) {
    try {
      decode_step();
    } catch (...) {
      fail_all(std::current_exception());
    }
  }
}

// Fills up the batch. Returns false if there is nothing left to decode.
bool DecodingWorker::admit() {
  // Waits for some room: sentences are encoded faster together.
  const int64_t enough = std::max<int64_t>(1, batch_tokens_ / 8);
  do {
    const bool idle = open_.empty();
    if (idle) give_back_memory();
    const int64_t room = batch_tokens_ - load_;
    const int64_t urgent_room = batch_tokens_ - urgent_load_;
    std::vector<FedSentence> fed;
    if (idle || room >= enough) fed = feed_->take(std::max<int64_t>(1, room), idle);
    if (!idle && fed.empty() && urgent_room >= enough) fed = feed_->take_urgent(urgent_room);
    if (fed.empty()) return !idle;
    open(fed);
  } while (open_.empty());
  return true;
}

void DecodingWorker::open(const std::vector<FedSentence>& fed) {
  std::vector<OpenSentence*> added;
  for (const FedSentence& one : fed) {
    try {
      open_.push_back(begin(one));
      added.push_back(open_.back().get());
      load_ += open_.back()->load;
      if (one.is_urgent) urgent_load_ += open_.back()->load;
    } catch (...) {
      feed_->fail(one.ticket, std::current_exception());
    }
  }
  try {
    std::stable_sort(added.begin(), added.end(), [](const OpenSentence* a, const OpenSentence* b) {
      return a->source_tokens < b->source_tokens;
    });
    encode(added);
  } catch (...) {
    fail_all(std::current_exception());
  }
}

// If a sentence cannot begin, the next one uses its memory.
std::unique_ptr<OpenSentence> DecodingWorker::begin(const FedSentence& fed) {
  if (spare_.empty()) spare_.push_back(std::make_unique<OpenSentence>());
  spare_.back()->begin(fed, models_, special_, draw_);
  if (shortlist_) spare_.back()->choose_outputs(shortlist_, models_, special_);
  std::unique_ptr<OpenSentence> begun = std::move(spare_.back());
  spare_.pop_back();
  return begun;
}

void DecodingWorker::encode(std::span<OpenSentence* const> sentences) {
  if (sentences.empty()) return;
  for (size_t m = 0; m < models_.size(); ++m) {
    std::vector<EncodeItem> items;
    for (OpenSentence* sentence : sentences)
      items.push_back(
          {sentence->fed.request->source, sentence->task.max_length, &sentence->memories[m]});
    runners_[m]->encode(items);
  }
}

void DecodingWorker::decode_step() {
  drop_abandoned();
  if (open_.empty()) return;
  choose_sentences();
  gather_rows();
  const auto chosen = std::span(open_).first(chosen_);
  for (size_t m = 0; m < models_.size(); ++m) {
    step_sentences_.clear();
    for (const auto& sentence : chosen)
      step_sentences_.push_back({.first_row = sentence->first_row,
                                 .rows = sentence->rows,
                                 .position = sentence->position,
                                 .memory = &sentence->memories[m],
                                 .slots = sentence->slots.data(),
                                 .slots_stride = sentence->slots_stride,
                                 .attention = sentence->attention});
    runners_[m]->reserve_slots(slots_.size());
    runners_[m]->step(tokens_, step_sentences_);
  }
  read_rows();
  advance();
}

void DecodingWorker::drop_abandoned() {
  for (size_t i = open_.size(); i > 0; --i) {
    if (!open_[i - 1]->fed.is_abandoned()) continue;
    const uint64_t ticket = open_[i - 1]->fed.ticket;
    close(i - 1);
    feed_->drop(ticket);
  }
}

// Urgent sentences go first in open_ and take their steps without the others, which keep their
// share.
void DecodingWorker::choose_sentences() {
  chosen_ = open_.size();
  if (urgent_load_ == 0 || urgent_load_ == load_) return;
  const auto others = std::partition(open_.begin(), open_.end(),
                                     [](const auto& sentence) { return sentence->fed.is_urgent; });
  const auto rows = [](auto begin, auto end) {
    return std::accumulate(begin, end, int64_t{0}, [](int64_t sum, const auto& sentence) {
      return sum + sentence->search->rows();
    });
  };
  if (urgent_rows_ >= kUrgentShare * rows(others, open_.end())) {
    urgent_rows_ = 0;
    return;
  }
  urgent_rows_ += rows(open_.begin(), others);
  chosen_ = static_cast<size_t>(others - open_.begin());
}

// Each hypothesis gets a slot for the keys and values of its last token.
void DecodingWorker::gather_rows() {
  tokens_.clear();
  owners_.clear();
  for (const auto& sentence : std::span(open_).first(chosen_)) {
    sentence->first_row = static_cast<int64_t>(tokens_.size());
    sentence->rows = sentence->search->rows();
    sentence->attention =
        sentence->fed.options->needs_attention() ? sentence->record.add(sentence->rows) : nullptr;
    for (int64_t r = 0; r < sentence->rows; ++r) {
      tokens_.push_back(sentence->search->token(r));
      owners_.push_back(sentence.get());
      sentence->row_slots(r)[sentence->position] = slots_.take();
    }
  }
}

// Several sentences share a matrix product, unless each has its own output layer.
void DecodingWorker::read_rows() {
  const auto rows = static_cast<int64_t>(owners_.size());
  const int64_t most = logit_rows(models_.front().weights->target_vocabulary);
  for (int64_t first = 0; first < rows;) {
    const OpenSentence& next = *owners_[static_cast<size_t>(first)];
    const int64_t end = std::min(first + most, shortlist_ ? next.first_row + next.rows : rows);
    for (size_t m = 0; m < runners_.size(); ++m) {
      const LinearWeights& all = models_[m].weights->output;
      logits_[m] =
          runners_[m]->logits(shortlist_ ? next.outputs[m].layer() : all, first, end - first);
    }
    for (int64_t row = first; row < end;) {
      OpenSentence& owner = *owners_[static_cast<size_t>(row)];
      const int64_t count = std::min(owner.first_row + owner.rows, end) - row;
      if (!owner.failure) read_sentence(owner, row, count, row - first);
      row += count;
    }
    first = end;
  }
}

// Reads rows first .. first + count - 1 of the step; their logits start at row `at`.
void DecodingWorker::read_sentence(OpenSentence& sentence, int64_t first, int64_t count,
                                   int64_t at) {
  try {
    const int64_t search_row = first - sentence.first_row;
    selector_.begin(logits_, at, count, sentence.tokens, *sentence.search, search_row);
    for (int64_t r = 0; r < count; ++r) sentence.search->read(search_row + r, selector_.scores(r));
  } catch (...) {
    sentence.failure = std::current_exception();
  }
}

void DecodingWorker::advance() {
  for (size_t i = chosen_; i > 0; --i) {
    OpenSentence& sentence = *open_[i - 1];
    ++sentence.position;
    bool goes_on = false;
    try {
      if (sentence.failure) std::rethrow_exception(sentence.failure);
      goes_on = sentence.search->advance();
      if (!goes_on) deliver(sentence);
    } catch (...) {
      feed_->fail(sentence.fed.ticket, std::current_exception());
    }
    if (goes_on)
      sentence.follow_parents(slots_);
    else
      close(i - 1);
  }
}

void DecodingWorker::deliver(OpenSentence& sentence) {
  NBest found = sentence.search->result();
  const SearchOptions& options = *sentence.fed.options;
  if (options.needs_attention()) sentence.record.read(found, std::ssize(models_));
  if (options.coverage_penalty > 0.0) rank_by_coverage(found, *sentence.fed.request, options);
  feed_->deliver(sentence.fed.ticket, std::move(found));
}

// The last sentence moves to its place.
void DecodingWorker::close(size_t index) {
  OpenSentence& sentence = *open_[index];
  sentence.release_slots(slots_);
  load_ -= sentence.load;
  if (sentence.fed.is_urgent) urgent_load_ -= sentence.load;
  sentence.search.reset();
  spare_.push_back(std::move(open_[index]));
  open_[index] = std::move(open_.back());
  open_.pop_back();
}

// After an error in the middle of a step, the state of the slots is unknown.
void DecodingWorker::fail_all(std::exception_ptr error) {
  for (const auto& sentence : open_) feed_->fail(sentence->fed.ticket, error);
  open_.clear();
  load_ = 0;
  urgent_load_ = 0;
  slots_ = SlotPool();
}

}  // namespace dietmt::nmt
