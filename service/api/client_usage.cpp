#include "service/api/client_usage.h"

#include "service/api/metrics.h"

namespace dietmt::service {

void ClientUsage::add(const std::string& key, int64_t texts, int64_t characters,
                      int64_t source_tokens) {
  const std::lock_guard lock(mutex_);
  Totals& totals = totals_[key];
  ++totals.requests;
  totals.texts += texts;
  totals.characters += characters;
  totals.source_tokens += source_tokens;
}

int64_t ClientUsage::characters_of(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = totals_.find(key);
  return found == totals_.end() ? 0 : found->second.characters;
}

std::vector<prometheus::MetricFamily> ClientUsage::families() const {
  const std::lock_guard lock(mutex_);
  const auto family = [&](const char* name, const char* help, int64_t Totals::*count) {
    prometheus::MetricFamily all{name, help, prometheus::MetricType::Counter, {}};
    for (const auto& [key, totals] : totals_)
      all.metric.push_back(labelled_counter("key", key, static_cast<double>(totals.*count)));
    return all;
  };
  return {family("dietmt_key_requests_total", "Translation requests, by the name of the API key.",
                 &Totals::requests),
          family("dietmt_key_texts_total", "Texts of these requests.", &Totals::texts),
          family("dietmt_key_characters_total", "Characters of these texts.", &Totals::characters),
          family("dietmt_key_source_tokens_total", "Source tokens of these texts.",
                 &Totals::source_tokens)};
}

}  // namespace dietmt::service
