#include "nmt/translation/translator.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "common/error.h"
#include "nmt/translation/document_context.h"
#include "nmt/translation/line_coder.h"

namespace dietmt::nmt {

std::vector<size_t> longest_first(std::span<const TranslationRequest> requests) {
  std::vector<size_t> order(requests.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return requests[a].source.size() > requests[b].source.size();
  });
  return order;
}

RequestFeed::RequestFeed(std::span<const TranslationRequest> requests, const SearchOptions& options,
                         std::function<void(int64_t)> progress)
    : requests_(requests),
      options_(options),
      progress_(std::move(progress)),
      order_(longest_first(requests)),
      results_(requests.size()) {}

std::vector<FedSentence> RequestFeed::take(int64_t tokens, bool idle) {
  const std::lock_guard lock(mutex_);
  std::vector<FedSentence> taken;
  if (failed_) return taken;
  int64_t room = tokens;
  for (; next_ < order_.size(); ++next_) {
    const TranslationRequest& request = requests_[order_[next_]];
    room -= static_cast<int64_t>(request.source.size());
    if (room < 0 && !(idle && taken.empty())) break;
    taken.push_back({order_[next_], &request, &options_, &failed_});
  }
  return taken;
}

void RequestFeed::deliver(uint64_t ticket, NBest translations) {
  drop_context(requests_[ticket], options_, translations);
  results_[ticket] = std::move(translations);
  if (!progress_) return;
  const std::lock_guard lock(mutex_);
  progress_(1);
}

void RequestFeed::fail(uint64_t, std::exception_ptr error) {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::move(error);
  failed_ = true;
}

std::vector<NBest> RequestFeed::results() && {
  if (failure_) std::rethrow_exception(failure_);
  return std::move(results_);
}

Translator::Translator(LoadedDecoder model, SearchOptions options)
    : model_(std::move(model)), options_(std::move(options)) {
  throw_if_any(options_.problems());
}

int64_t Translator::max_source_length() const { return model_.decoder->source_limit(options_); }

int64_t Translator::max_target_length() const { return model_.decoder->max_target_length(); }

std::vector<NBest> Translator::translate(std::span<const TranslationRequest> requests,
                                         const SearchOptions& search,
                                         const std::function<void(int64_t)>& progress) const {
  int64_t tokens = 0;
  for (const TranslationRequest& request : requests) tokens += std::ssize(request.source);
  // The first worker takes all sentences that fit in its batch; others would find nothing.
  const bool one_batch = requests.size() <= 1 || tokens <= options_.batch_tokens;
  RequestFeed feed(requests, search, progress);
  model_.decoder->run(feed, one_batch ? 1 : options_.workers, options_.threads,
                      options_.batch_tokens);
  return std::move(feed).results();
}

std::vector<std::string> translate_lines(const Translator& translator,
                                         std::span<const std::string> lines,
                                         const LanguageChoice& languages) {
  LineCoder coder(translator.model(), translator.options(), {.languages = languages});
  std::vector<LineRequest> prepared;
  std::vector<TranslationRequest> requests;
  for (const std::string& line : lines) {
    LineRequest& added =
        prepared.emplace_back(coder.prepare(line, {.index = std::ssize(prepared)}));
    if (added.has_text) requests.push_back(std::move(added.request));
  }
  const std::vector<NBest> found = translator.translate(requests);
  std::vector<std::string> translations;
  auto next = found.begin();
  for (const LineRequest& line : prepared)
    translations.push_back(coder.finish(line, line.has_text ? *next++ : NBest()).front().text);
  return translations;
}

}  // namespace dietmt::nmt
