#include "nmt/translation/request_feed.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace dietmt::nmt {

RequestFeed::RequestFeed(std::span<const TranslationRequest> requests, const SearchOptions& options,
                         std::function<void(int64_t)> progress)
    : requests_(requests),
      options_(options),
      progress_(std::move(progress)),
      order_(requests.size()),
      results_(requests.size()) {
  std::iota(order_.begin(), order_.end(), size_t{0});
  std::stable_sort(order_.begin(), order_.end(), [&](size_t a, size_t b) {
    return requests[a].source.size() > requests[b].source.size();
  });
}

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

}  // namespace dietmt::nmt
