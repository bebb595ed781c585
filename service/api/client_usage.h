// What the clients of a server have asked for, by the names of their API keys.
#pragma once

#include <prometheus/metric_family.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace dietmt::service {

/// Thread-safe. Counts since the server started.
class ClientUsage {
 public:
  /// `key`: the name of an API key; empty: none.
  void add(const std::string& key, int64_t texts, int64_t characters, int64_t source_tokens);

  int64_t characters_of(const std::string& key) const;

  /// For /metrics.
  std::vector<prometheus::MetricFamily> families() const;

 private:
  struct Totals {
    int64_t requests = 0;
    int64_t texts = 0;
    int64_t characters = 0;
    int64_t source_tokens = 0;
  };

  mutable std::mutex mutex_;
  std::map<std::string, Totals> totals_;  // by key
};

}  // namespace dietmt::service
