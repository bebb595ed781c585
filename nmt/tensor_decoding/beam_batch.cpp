#include "nmt/tensor_decoding/beam_batch.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "common/error.h"
#include "encoders/device/device.h"

namespace dietmt::nmt {

struct BeamBatch::Sentence {
  Sentence(const FedSentence& from, const SpecialTokens& special, int64_t max_target_length)
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

BeamBatch::BeamBatch(const DecodingModel& model, const SpecialTokens& special,
                     int64_t max_target_length, int64_t beam, int64_t most_open,
                     std::unique_ptr<encoders::DeviceGraphs>& graphs)
    : model_(*model.model),
      precision_(model.precision),
      special_(special),
      max_target_length_(max_target_length),
      most_open_(RecordedSteps::largest_size(std::max<int64_t>(1, most_open))),
      runner_(model_, beam, most_open_),
      beams_(beam, special, most_open_, model_.output_weight().device()) {
  const bool fixed =
      runner_.has_fixed_work() && beams_.has_fixed_work(model_.config().target_vocabulary);
  if (fixed && !graphs) graphs = encoders::graphs_of(model_.output_weight().device());
  steps_.emplace(fixed ? graphs.get() : nullptr);
}

BeamBatch::~BeamBatch() = default;

int64_t BeamBatch::load() const {
  int64_t sum = 0;
  for (const auto& sentence : open_) sum += sentence->load;
  for (const auto& sentence : encoded_) sum += sentence->load;
  return sum;
}

void BeamBatch::encode(std::span<const FedSentence> sentences, SentenceFeed& feed) {
  const auto is_urgent = [](const auto& sentence) { return sentence->fed.is_urgent; };
  std::vector<std::shared_ptr<Sentence>> added;
  std::vector<const std::vector<int32_t>*> sources;
  for (const FedSentence& fed : sentences) {
    try {
      added.push_back(std::make_shared<Sentence>(fed, special_, max_target_length_));
    } catch (...) {
      feed.fail(fed.ticket, std::current_exception());
      continue;
    }
    sources.push_back(&fed.request->source);
    const auto place = fed.is_urgent ? std::find_if_not(encoded_.begin(), encoded_.end(), is_urgent)
                                     : encoded_.end();
    encoded_.insert(place, added.back());
  }
  const encoders::PassPrecisionScope scope(precision_);
  std::vector<StepRunner::Sentence> encoded = runner_.encode(sources);
  for (size_t i = 0; i < encoded.size(); ++i) added[i]->encoded = std::move(encoded[i]);
}

void BeamBatch::open_encoded() {
  const int64_t count = std::min(most_open_ - open(), waiting());
  if (count <= 0) return;
  std::vector<StepRunner::Sentence> begun;
  for (int64_t i = 0; i < count; ++i) {
    open_.push_back(encoded_.front());
    encoded_.pop_front();
    begun.push_back(std::move(open_.back()->encoded));
  }
  runner_.begin(std::move(begun));
  beams_.add(count);
}

void BeamBatch::drop_abandoned(SentenceFeed& feed) {
  for (const auto& sentence : open_) {
    if (sentence->closed || !sentence->fed.is_abandoned()) continue;
    sentence->closed = true;
    feed.drop(sentence->fed.ticket);
  }
  std::erase_if(encoded_, [&](const auto& sentence) {
    if (!sentence->fed.is_abandoned()) return false;
    runner_.release(sentence->encoded);
    feed.drop(sentence->fed.ticket);
    return true;
  });
}

void BeamBatch::leave() {
  std::vector<std::shared_ptr<Sentence>> still_open;
  std::vector<int64_t> kept, rows;
  for (size_t b = 0; b < open_.size(); ++b) {
    if (open_[b]->closed || open_[b]->is_last_step()) continue;
    still_open.push_back(open_[b]);
    kept.push_back(static_cast<int64_t>(b));
    for (int64_t k = 0; k < runner_.beams(); ++k) rows.push_back(kept.back() * runner_.beams() + k);
  }
  if (still_open.size() == open_.size()) return;
  const at::Tensor places = sent(rows, model_.output_weight().device());
  runner_.keep(kept, beams_.parents(open()).index_select(0, places));
  beams_.keep(places);
  open_ = std::move(still_open);
}

void BeamBatch::step() {
  std::optional<Step> now;
  if (!open_.empty()) now.emplace(enqueue_step());
  if (last_) read_ = {last_->sentences, last_->candidates.wait()};
  last_ = std::move(now);
}

BeamBatch::Step BeamBatch::enqueue_step() {
  std::vector<DeviceBeams::Limits> limits;
  for (const auto& sentence : open_) {
    limits.push_back({sentence->task.forced_token(sentence->position, special_),
                      sentence->position >= sentence->task.min_length});
    ++sentence->position;
  }
  const encoders::PassPrecisionScope scope(precision_);
  const int64_t sentences = open(), size = steps_->size_of(sentences);
  runner_.advance(size - sentences);
  beams_.limit(limits, size - sentences);
  const at::Tensor candidates = steps_->run(size, runner_.moves(), [&] {
    runner_.follow(beams_.parents(size));
    return beams_.advance(model_.logits(runner_.step(beams_.tokens(size))));
  });
  return {open_, encoders::DelayedCopy(candidates.narrow(0, 0, sentences))};
}

void BeamBatch::deliver(SentenceFeed& feed) {
  const ReadStep step = std::exchange(read_, {});
  for (size_t b = 0; b < step.sentences.size(); ++b) {
    Sentence& sentence = *step.sentences[b];
    if (sentence.closed) continue;
    const auto own = candidates_of(step.candidates, static_cast<int64_t>(b), sentence.beam);
    if (sentence.beam.advance(own)) continue;
    sentence.closed = true;
    try {
      feed.deliver(sentence.fed.ticket, std::move(sentence.beam).result());
    } catch (const DataError&) {
      feed.fail(sentence.fed.ticket, std::current_exception());
    }
  }
}

std::vector<FedSentence> BeamBatch::unfinished() const {
  std::vector<FedSentence> found;
  const auto add = [&](const auto& sentences) {
    for (const auto& sentence : sentences)
      if (!std::exchange(sentence->closed, true)) found.push_back(sentence->fed);
  };
  add(open_);
  if (last_) add(last_->sentences);
  add(encoded_);
  return found;
}

}  // namespace dietmt::nmt
