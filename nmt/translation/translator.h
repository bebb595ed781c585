// Translates sentences with one model, or with an ensemble whose probabilities are averaged.
//
//   SearchOptions options;
//   std::vector<std::string> translations =
//       translate_lines(Translator(std::move(loaded), options), lines);
//
// On the CPU the engine decodes (nmt/engine/), on a GPU LibTorch. A translation depends only on its
// sentence, the models and the options, not on the other sentences of the call, the batch size or
// the number of threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "nmt/search/search_options.h"
#include "nmt/search/search_task.h"
#include "nmt/search/sentence_feed.h"
#include "nmt/translation/loaded_decoder.h"

namespace dietmt::nmt {

/// Indices of `requests`, longest first.
std::vector<size_t> longest_first(std::span<const TranslationRequest> requests);

/// A feed of known requests. It hands out the longest first, so that no worker starts a long one at
/// the end.
class RequestFeed : public SentenceFeed {
 public:
  /// Keeps references to `requests` and `options`. Calls `progress` with the number of sentences
  /// done since the last call, from one thread at a time.
  RequestFeed(std::span<const TranslationRequest> requests, const SearchOptions& options,
              std::function<void(int64_t)> progress);

  std::vector<FedSentence> take(int64_t tokens, bool idle) override;
  void deliver(uint64_t ticket, NBest translations) override;
  void fail(uint64_t ticket, std::exception_ptr error) override;
  void drop(uint64_t) override {}

  /// In the order of the requests. Rethrows the first failure.
  std::vector<NBest> results() &&;

 private:
  std::span<const TranslationRequest> requests_;
  const SearchOptions& options_;
  std::function<void(int64_t)> progress_;
  std::mutex mutex_;
  std::vector<size_t> order_;
  size_t next_ = 0;  // in order_
  std::vector<NBest> results_;
  std::exception_ptr failure_;
  std::atomic<bool> failed_ = false;  // abandons all other sentences
};

class Translator {
 public:
  /// Throws ConfigError listing all problems of `options`.
  Translator(LoadedDecoder model, SearchOptions options);

  const LoadedDecoder& model() const { return model_; }
  const SearchOptions& options() const { return options_; }

  /// Maximum number of source tokens, with end of sentence: the smallest of the models' limits and
  /// options().max_source_length. The caller must cut longer requests.
  int64_t max_source_length() const;

  /// Maximum number of target tokens, with end of sentence, that the models can generate.
  int64_t max_target_length() const;

  /// Translations in the order of the requests, options().nbest each. Calls `progress` with the
  /// number of sentences done since the last call, from one thread at a time.
  std::vector<NBest> translate(std::span<const TranslationRequest> requests,
                               const std::function<void(int64_t)>& progress = {}) const {
    return translate(requests, options_, progress);
  }
  /// Translates with another search, whose machine options must be those of options().
  std::vector<NBest> translate(std::span<const TranslationRequest> requests,
                               const SearchOptions& search,
                               const std::function<void(int64_t)>& progress = {}) const;

 private:
  LoadedDecoder model_;
  SearchOptions options_;
};

/// The best translation of each line. A line without text stays empty and ends the context; lines
/// over max_source_length() are cut. `languages`: as in LineOptions.
std::vector<std::string> translate_lines(const Translator& translator,
                                         std::span<const std::string> lines,
                                         const LanguageChoice& languages = {});

}  // namespace dietmt::nmt
