#include "nmt/translation/translator.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "common/error.h"
#include "nmt/search/document_context.h"

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

Translator::Translator(std::shared_ptr<const SentenceDecoder> decoder, SearchOptions options,
                       const data::SentenceContext& context)
    : decoder_(std::move(decoder)), options_(std::move(options)), context_(context) {
  throw_if_any(options_.problems());
}

int64_t Translator::max_source_length() const { return decoder_->source_limit(options_); }

int64_t Translator::max_target_length() const { return decoder_->max_target_length(); }

std::vector<NBest> Translator::translate(std::span<const TranslationRequest> requests,
                                         const std::function<void(int64_t)>& progress) const {
  int64_t tokens = 0;
  for (const TranslationRequest& request : requests) tokens += std::ssize(request.source);
  // The first worker takes all sentences that fit into its batch, so others would find nothing.
  const bool one_batch = requests.size() <= 1 || tokens <= options_.batch_tokens;
  RequestFeed feed(requests, options_, progress);
  decoder_->run(feed, one_batch ? 1 : options_.workers, options_.threads, options_.batch_tokens);
  return std::move(feed).results();
}

std::vector<std::string> translate_lines(const Translator& translator,
                                         const data::Tokenizer& source_tokenizer,
                                         const data::Tokenizer& target_tokenizer,
                                         std::span<const std::string> lines) {
  std::vector<TranslationRequest> requests;
  std::vector<size_t> places;  // of the requests among the lines
  DocumentContext document(translator.context());
  for (size_t i = 0; i < lines.size(); ++i) {
    std::vector<int32_t> ids = source_tokenizer.encode(lines[i]);
    if (ids.empty()) {
      document.end();
      continue;
    }
    cut_and_end(ids, translator.max_source_length(), source_tokenizer.end_id());
    requests.push_back({std::move(ids), {}, static_cast<int64_t>(i)});
    document.next(requests.back(), translator.max_source_length());
    places.push_back(i);
  }
  const std::vector<NBest> found = translator.translate(requests);
  std::vector<std::string> translations(lines.size());
  for (size_t r = 0; r < found.size(); ++r)
    translations[places[r]] = target_tokenizer.decode(found[r].front().ids);
  return translations;
}

}  // namespace dietmt::nmt
