// A decoder with known translations: tokens are characters, and a translation is the source in
// capitals followed by the terms that it must contain. It decodes like the real one: a step is one
// token of every sentence of a batch; finished sentences leave, and others take their place.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "nmt/translation/loaded_decoder.h"
#include "tests/data/fake_subwords.h"
#include "tests/service/gate.h"

namespace dietmt::service {

class FakeDecoder final : public nmt::SentenceDecoder {
 public:
  /// A sentence with this letter fails; one with the other ends the decoder.
  static constexpr int32_t kPoison = U'\u03E1';
  static constexpr int32_t kCrash = U'\u03DF';

  /// A sentence with this letter gets an endless translation, unless n-grams may not repeat.
  static constexpr int32_t kLoop = U'\u03D7';

  /// The translation of a sentence with this letter is empty.
  static constexpr int32_t kMute = U'\u03FB';

  /// `gate`: before each step; may be null.
  explicit FakeDecoder(std::chrono::microseconds step = {}, std::string mark = "",
                       Gate* gate = nullptr)
      : step_(step), mark_(mark.begin(), mark.end()), gate_(gate) {}

  int64_t max_source_length() const override { return 200; }
  int64_t max_target_length() const override { return kNoLimit; }

  void run(nmt::SentenceFeed& feed, int64_t workers, int64_t /*threads*/,
           int64_t batch_tokens) const override {
    std::exception_ptr crash;
    std::mutex mutex;
    {
      std::vector<std::jthread> threads;
      for (int64_t i = 0; i < workers; ++i) {
        threads.emplace_back([&] {
          try {
            work(feed, batch_tokens);
          } catch (...) {
            const std::lock_guard lock(mutex);
            crash = std::current_exception();
          }
        });
      }
    }
    if (crash) std::rethrow_exception(crash);
  }

  bool aligns() const override { return true; }

  int64_t steps() const { return steps_; }

 private:
  friend class FakeWorker;

  void work(nmt::SentenceFeed& feed, int64_t batch_tokens) const;

  nmt::NBest translations(const nmt::FedSentence& sentence) const {
    nmt::Hypothesis best;
    best.ids = sentence.request->prefix;
    const std::vector<int32_t>& source = sentence.request->source;
    const bool is_mute = std::find(source.begin(), source.end(), kMute) != source.end();
    for (size_t i = 0; !is_mute && i + 1 < source.size(); ++i) {
      const bool small = source[i] >= 'a' && source[i] <= 'z';
      best.ids.push_back(small ? source[i] - 'a' + 'A' : source[i]);
    }
    if (!is_mute) best.ids.insert(best.ids.end(), mark_.begin(), mark_.end());
    const bool loops = std::find(source.begin(), source.end(), kLoop) != source.end();
    for (int i = 0; loops && sentence.options->no_repeat_ngram == 0 && i < 20; ++i)
      best.ids.insert(best.ids.end(), {'L', 'A'});
    for (const nmt::Constraint& term : sentence.request->constraints.terms) {
      best.ids.push_back(' ');
      best.ids.insert(best.ids.end(), term.front().begin(), term.front().end());
    }
    nmt::NBest all;
    for (int64_t n = 0; n < sentence.options->nbest; ++n) {
      nmt::Hypothesis one = best;
      one.ids.insert(one.ids.end(), static_cast<size_t>(n), '!');
      one.token_scores.assign(one.ids.size() + 1, -0.5F);
      one.sum = -0.5 * static_cast<double>(one.ids.size() + 1);
      one.score = -0.5 - static_cast<double>(n);
      if (sentence.options->alignment) one.attention = attention(*sentence.request, one);
      all.push_back(one);
    }
    return all;
  }

  // Each character attends to the one that it comes from, others to end of sentence.
  static std::vector<float> attention(const nmt::TranslationRequest& request,
                                      const nmt::Hypothesis& found) {
    const size_t sources = request.source.size();
    std::vector<float> weights(sources * (found.ids.size() + 1));
    for (size_t t = 0; t <= found.ids.size(); ++t) {
      const size_t from = t < request.prefix.size() ? sources : t - request.prefix.size();
      weights[t * sources + std::min(from, sources - 1)] = 1.0F;
    }
    return weights;
  }

  std::chrono::microseconds step_;
  std::vector<int32_t> mark_;
  Gate* gate_;
  mutable std::atomic<int64_t> steps_{0};
};

/// One worker of a FakeDecoder, step by step.
class FakeWorker {
 public:
  FakeWorker(const FakeDecoder& decoder, nmt::SentenceFeed& feed, int64_t batch_tokens)
      : decoder_(decoder), feed_(feed), batch_tokens_(batch_tokens) {}

  /// Fills the batch. Waits if it is empty; returns false at the end of the feed.
  bool admit() {
    add(feed_.take(batch_tokens_ - load(false), rows_.empty()));
    add(feed_.take_urgent(batch_tokens_ - load(true)));
    return !rows_.empty();
  }

  /// Decodes one token of every sentence, or of the urgent ones if there are any. Returns the
  /// number of hypotheses.
  int64_t step() {
    const bool only_urgent = load(true) > 0;
    int64_t hypotheses = 0;
    std::erase_if(rows_, [&](Row& row) {
      const bool abandoned = row.sentence.is_abandoned();
      if (abandoned) feed_.drop(row.sentence.ticket);
      if (abandoned || (only_urgent && !row.sentence.is_urgent)) return abandoned;
      hypotheses += row.sentence.options->beam;
      return advance(row);
    });
    return hypotheses;
  }

 private:
  struct Row {
    nmt::FedSentence sentence;
    int64_t load = 0;
    size_t length = 0;
  };

  void add(const std::vector<nmt::FedSentence>& sentences) {
    for (const nmt::FedSentence& one : sentences) rows_.push_back({one, one.load()});
  }

  int64_t load(bool only_urgent) const {
    int64_t sum = 0;
    for (const Row& row : rows_)
      if (row.sentence.is_urgent || !only_urgent) sum += row.load;
    return sum;
  }

  // Returns true if the sentence is finished.
  bool advance(Row& row) {
    const std::vector<int32_t>& source = row.sentence.request->source;
    const int32_t token = source[row.length];
    if (token == FakeDecoder::kCrash) throw std::runtime_error("the decoder has crashed");
    if (token == FakeDecoder::kPoison) {
      feed_.fail(row.sentence.ticket, std::make_exception_ptr(std::runtime_error("bad sentence")));
      return true;
    }
    if (++row.length < source.size()) return false;
    feed_.deliver(row.sentence.ticket, decoder_.translations(row.sentence));
    return true;
  }

  const FakeDecoder& decoder_;
  nmt::SentenceFeed& feed_;
  const int64_t batch_tokens_;
  std::vector<Row> rows_;
};

inline void FakeDecoder::work(nmt::SentenceFeed& feed, int64_t batch_tokens) const {
  FakeWorker worker(*this, feed, batch_tokens);
  while (worker.admit()) {
    if (gate_ != nullptr) gate_->wait();
    std::this_thread::sleep_for(step_);
    ++steps_;
    worker.step();
  }
}

inline const std::shared_ptr<const data::Tokenizer>& fake_tokenizer() {
  static const auto tokenizer = data::fake_tokenizer<data::CharacterSubwords>();
  return tokenizer;
}

inline std::vector<int32_t> characters(std::string_view text) {
  return fake_tokenizer()->encode(text);
}

inline std::string text_of(std::span<const int32_t> codes) {
  return fake_tokenizer()->decode(codes);
}

/// `mark` ends each translation, so that models can be distinguished.
inline nmt::LoadedDecoder fake_model(std::chrono::microseconds step = {},
                                     const std::string& mark = "", Gate* gate = nullptr) {
  return {.decoder = std::make_shared<FakeDecoder>(step, mark, gate),
          .source_tokenizer = fake_tokenizer(),
          .target_tokenizer = fake_tokenizer(),
          .special = nmt::SpecialTokens::of(*fake_tokenizer())};
}

}  // namespace dietmt::service
