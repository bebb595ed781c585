// A feed for decoder tests: sentences with different options, one at a time; some are abandoned,
// and some cannot be decoded.
#pragma once

#include <atomic>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "nmt/search/sentence_feed.h"

namespace dietmt::nmt {

class MixedFeed : public SentenceFeed {
 public:
  struct Item {
    TranslationRequest request;
    SearchOptions options;
    bool abandoned = false;
    NBest found = {};
    std::string error = {};
  };

  explicit MixedFeed(std::vector<Item> given) : items(std::move(given)) {}

  std::vector<FedSentence> take(int64_t, bool) override {
    if (next_ == items.size()) return {};
    const Item& item = items[next_];
    return {{next_++, &item.request, &item.options, item.abandoned ? &nobody_waits_ : nullptr}};
  }
  void deliver(uint64_t ticket, NBest translations) override {
    items[ticket].found = std::move(translations);
  }
  void fail(uint64_t ticket, std::exception_ptr error) override {
    try {
      std::rethrow_exception(error);
    } catch (const std::exception& caught) {
      items[ticket].error = caught.what();
    }
  }
  void drop(uint64_t ticket) override { dropped.push_back(ticket); }

  std::vector<Item> items;
  std::vector<uint64_t> dropped;

 private:
  const std::atomic<bool> nobody_waits_ = true;
  size_t next_ = 0;
};

}  // namespace dietmt::nmt
