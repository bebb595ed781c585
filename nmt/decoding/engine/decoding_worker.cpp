#include "nmt/decoding/engine/decoding_worker.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "common/error.h"
#include "nmt/decoding/engine/chosen_outputs.h"

namespace dietmt::nmt {
namespace {

// Rows whose logits are computed at a time: they stay in the cache until they are read.
constexpr int64_t kLogitRows = 64;

void check_tokens(const std::vector<int32_t>& tokens, int64_t vocabulary, const char* side) {
  for (const int32_t token : tokens)
    if (token < 0 || token >= vocabulary)
      throw DataError("token " + std::to_string(token) + " is not one of the " +
                      std::to_string(vocabulary) + " of the " + side + " vocabulary");
}

}  // namespace

struct DecodingWorker::Sentence {
  FedSentence fed;
  SearchTask task;
  std::unique_ptr<SentenceSearch> search;
  std::vector<SentenceMemory> memories;  // of the models
  std::vector<int32_t> tokens;           // that it may have, ascending; none: all
  std::vector<ChosenOutputs> outputs;    // of the models, for these tokens
  int64_t position = 0;                  // of the next token
  int64_t first_row = 0;                 // in the step
  int64_t rows = 0;
  std::exception_ptr failure;
  std::vector<int32_t> slots, next_slots;  // [rows, stride]: one for each token of a hypothesis
  int64_t slots_stride = 0;

  int64_t source_tokens() const { return static_cast<int64_t>(fed.request->source.size()); }
  int32_t* row_slots(int64_t row) { return slots.data() + row * slots_stride; }
  std::span<const int32_t> filled_slots(int64_t row) {
    return {row_slots(row), static_cast<size_t>(position)};
  }
};

DecodingWorker::DecodingWorker(std::span<const EngineModel> models, const SpecialTokens& special,
                               const OutputShortlist& shortlist, int64_t threads,
                               int64_t batch_tokens, SentenceFeed& feed)
    : models_(models),
      special_(special),
      shortlist_(shortlist),
      batch_tokens_(batch_tokens),
      feed_(feed),
      team_(threads),
      selector_(models.front().weights->target_vocabulary),
      logits_(models.size()) {
  for (const EngineModel& model : models)
    runners_.push_back(std::make_unique<ModelRunner>(model, team_));
}

DecodingWorker::~DecodingWorker() = default;

void DecodingWorker::run() {
  while (admit()) {
    try {
      decode_step();
    } catch (...) {
      fail_all(std::current_exception());
    }
  }
}

// Fills up the batch. False if there is nothing left to decode.
bool DecodingWorker::admit() {
  // A sentence at a time would be encoded slowly.
  const int64_t room = batch_tokens_ - open_tokens_;
  while (open_.empty() || room >= std::max<int64_t>(1, batch_tokens_ / 8)) {
    const bool idle = open_.empty();
    const std::vector<FedSentence> fed = feed_.take(std::max<int64_t>(1, room), idle);
    if (fed.empty()) return !idle;
    open(fed);
    if (!open_.empty()) return true;
  }
  return true;
}

void DecodingWorker::open(const std::vector<FedSentence>& fed) {
  std::vector<Sentence*> added;
  for (const FedSentence& one : fed) {
    try {
      open_.push_back(begin(one));
      added.push_back(open_.back().get());
      open_tokens_ += open_.back()->source_tokens();
    } catch (...) {
      feed_.fail(one.ticket, std::current_exception());
    }
  }
  try {
    std::stable_sort(added.begin(), added.end(), [](const Sentence* a, const Sentence* b) {
      return a->source_tokens() < b->source_tokens();
    });
    encode(added);
  } catch (...) {
    fail_all(std::current_exception());
  }
}

std::unique_ptr<DecodingWorker::Sentence> DecodingWorker::begin(const FedSentence& fed) {
  const TranslationRequest& request = *fed.request;
  const SearchOptions& options = *fed.options;
  int64_t max_target = std::numeric_limits<int64_t>::max();
  for (const EngineModel& model : models_) {
    const auto length = static_cast<int64_t>(request.source.size());
    if (length < 1 || length > model.max_source_length())
      throw DataError("a source of " + std::to_string(length) + " tokens: the model takes 1 to " +
                      std::to_string(model.max_source_length()));
    check_tokens(request.source, model.weights->source_vocabulary, "source");
    check_tokens(request.prefix, model.weights->target_vocabulary, "target");
    max_target = std::min(max_target, model.max_target_length());
  }
  std::unique_ptr<Sentence> sentence;
  if (spare_.empty()) {
    sentence = std::make_unique<Sentence>();
    sentence->memories.resize(models_.size());
    sentence->outputs.resize(models_.size());
  } else {
    sentence = std::move(spare_.back());
    spare_.pop_back();
  }
  sentence->fed = fed;
  sentence->task = search_task(request, options, max_target);
  sentence->search = make_search(sentence->task, special_, options, draw_);
  sentence->position = sentence->rows = 0;
  sentence->failure = nullptr;
  sentence->slots_stride = sentence->task.max_length;
  const int64_t rows = options.sample ? options.nbest : options.beam;
  sentence->slots.resize(static_cast<size_t>(rows * sentence->slots_stride));
  sentence->next_slots.resize(sentence->slots.size());
  if (shortlist_) choose_outputs(*sentence);
  return sentence;
}

void DecodingWorker::choose_outputs(Sentence& sentence) const {
  const TranslationRequest& request = *sentence.fed.request;
  std::vector<int32_t>& tokens = sentence.tokens;
  shortlist_(request.source, tokens);
  if (std::ranges::all_of(tokens, [&](int32_t token) { return token == special_.end; })) {
    tokens.resize(static_cast<size_t>(models_.front().weights->target_vocabulary));
    std::iota(tokens.begin(), tokens.end(), 0);
  }
  // What is forced has to have a score.
  tokens.insert(tokens.end(), request.prefix.begin(), request.prefix.end());
  tokens.push_back(special_.end);
  std::ranges::sort(tokens);
  tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
  check_tokens(tokens, models_.front().weights->target_vocabulary, "target");
  for (size_t m = 0; m < models_.size(); ++m)
    sentence.outputs[m].choose(models_[m].weights->output, tokens);
}

void DecodingWorker::encode(std::span<Sentence* const> sentences) {
  if (sentences.empty()) return;
  for (size_t m = 0; m < models_.size(); ++m) {
    std::vector<EncodeItem> items;
    for (Sentence* sentence : sentences)
      items.push_back(
          {sentence->fed.request->source, sentence->task.max_length, &sentence->memories[m]});
    runners_[m]->encode(items);
  }
}

void DecodingWorker::decode_step() {
  drop_abandoned();
  if (open_.empty()) return;
  gather_rows();
  for (size_t m = 0; m < models_.size(); ++m) {
    step_sentences_.clear();
    for (const auto& sentence : open_)
      step_sentences_.push_back({.first_row = sentence->first_row,
                                 .rows = sentence->rows,
                                 .position = sentence->position,
                                 .memory = &sentence->memories[m],
                                 .slots = sentence->slots.data(),
                                 .slots_stride = sentence->slots_stride});
    runners_[m]->reserve_slots(slots_.size());
    runners_[m]->step(tokens_, step_sentences_);
  }
  read_rows();
  advance();
}

void DecodingWorker::drop_abandoned() {
  for (size_t i = open_.size(); i > 0; --i)
    if (feed_.abandoned(open_[i - 1]->fed.ticket)) close(i - 1);
}

// Each hypothesis gets a slot for the keys and values of its last token.
void DecodingWorker::gather_rows() {
  tokens_.clear();
  owners_.clear();
  for (const auto& sentence : open_) {
    sentence->first_row = static_cast<int64_t>(tokens_.size());
    sentence->rows = sentence->search->rows();
    for (int64_t r = 0; r < sentence->rows; ++r) {
      tokens_.push_back(sentence->search->token(r));
      owners_.push_back(sentence.get());
      sentence->row_slots(r)[sentence->position] = slots_.take();
    }
  }
}

// Rows of several sentences share a product, unless each has outputs of its own.
void DecodingWorker::read_rows() {
  const auto rows = static_cast<int64_t>(owners_.size());
  for (int64_t first = 0; first < rows;) {
    const Sentence& next = *owners_[static_cast<size_t>(first)];
    const int64_t end =
        std::min(first + kLogitRows, shortlist_ ? next.first_row + next.rows : rows);
    for (size_t m = 0; m < runners_.size(); ++m) {
      const LinearWeights& all = models_[m].weights->output;
      logits_[m] =
          runners_[m]->logits(shortlist_ ? next.outputs[m].layer() : all, first, end - first);
    }
    for (int64_t row = first; row < end;) {
      Sentence& owner = *owners_[static_cast<size_t>(row)];
      const int64_t count = std::min(owner.first_row + owner.rows, end) - row;
      if (!owner.failure) read_sentence(owner, row, count, row - first);
      row += count;
    }
    first = end;
  }
}

// Rows first .. first + count - 1 of the step, whose logits start at row `at` of those computed.
void DecodingWorker::read_sentence(Sentence& sentence, int64_t first, int64_t count, int64_t at) {
  try {
    selector_.begin(logits_, at, count, sentence.tokens, *sentence.search);
    for (int64_t r = 0; r < count; ++r)
      sentence.search->read(first + r - sentence.first_row, selector_.scores(r));
  } catch (...) {
    sentence.failure = std::current_exception();
  }
}

void DecodingWorker::advance() {
  for (size_t i = open_.size(); i > 0; --i) {
    Sentence& sentence = *open_[i - 1];
    ++sentence.position;
    bool goes_on = false;
    try {
      if (sentence.failure) std::rethrow_exception(sentence.failure);
      goes_on = sentence.search->advance();
      if (!goes_on) feed_.deliver(sentence.fed.ticket, sentence.search->result());
    } catch (...) {
      feed_.fail(sentence.fed.ticket, std::current_exception());
    }
    if (goes_on)
      follow_parents(sentence);
    else
      close(i - 1);
  }
}

// The hypotheses of the next step take over the slots of those that they continue.
void DecodingWorker::follow_parents(Sentence& sentence) {
  const int64_t rows = sentence.search->rows();
  bool same = rows == sentence.rows;
  for (int64_t r = 0; r < rows && same; ++r) same = sentence.search->parent(r) == r;
  if (same) return;
  for (int64_t r = 0; r < rows; ++r) {
    const auto inherited = sentence.filled_slots(sentence.search->parent(r));
    slots_.name(inherited);
    std::copy(inherited.begin(), inherited.end(),
              sentence.next_slots.data() + r * sentence.slots_stride);
  }
  for (int64_t r = 0; r < sentence.rows; ++r) slots_.forget(sentence.filled_slots(r));
  sentence.slots.swap(sentence.next_slots);
  sentence.rows = rows;
}

// The last sentence takes its place.
void DecodingWorker::close(size_t index) {
  Sentence& sentence = *open_[index];
  for (int64_t r = 0; r < sentence.rows; ++r) slots_.forget(sentence.filled_slots(r));
  open_tokens_ -= sentence.source_tokens();
  sentence.search.reset();
  spare_.push_back(std::move(open_[index]));
  open_[index] = std::move(open_.back());
  open_.pop_back();
}

// After an error in the middle of a step nothing is known of the slots.
void DecodingWorker::fail_all(std::exception_ptr error) {
  for (const auto& sentence : open_) feed_.fail(sentence->fed.ticket, error);
  open_.clear();
  open_tokens_ = 0;
  slots_ = SlotPool();
}

}  // namespace dietmt::nmt
