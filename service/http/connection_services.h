// What the connections of one event loop share.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "service/http/cors.h"
#include "service/http/exchange.h"
#include "service/http/http_options.h"
#include "service/http/request_reader.h"

namespace dietmt::service {

/// Counters that one thread reads while others count.
class CounterBoard {
 public:
  void add(int64_t HttpCounters::*counter, int64_t n = 1) {
    const std::lock_guard lock(mutex_);
    counters_.*counter += n;
  }

  HttpCounters snapshot() const {
    const std::lock_guard lock(mutex_);
    return counters_;
  }

 private:
  mutable std::mutex mutex_;
  HttpCounters counters_;
};

struct ConnectionServices {
  const HttpOptions& options;
  const ReadLimits& limits;
  const CorsPolicy& cors;
  SpoolBudget& budget;
  OutputLimits& output;
  CounterBoard& counters;
  std::vector<char>& scratch;  // what was read last; used by one connection after the other
  Endpoint server;

  /// Hands a request to a handler thread; false if there are too many.
  std::function<bool(std::shared_ptr<Exchange>)> submit;
  /// Makes the loop call on_output() of the connection. Called by any thread.
  std::function<void(uint64_t connection)> wake;
};

}  // namespace dietmt::service
