// Measurements of the service for Prometheus. docs/serving.md lists the names.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "service/http/http_options.h"
#include "service/scheduling/model_observer.h"
#include "service/scheduling/model_registry.h"

namespace dietmt::service {

class Metrics {
 public:
  Metrics();
  ~Metrics();

  /// A handler has answered a request. `endpoint`: the path of its route.
  void answered(const std::string& endpoint, int status, double seconds);

  /// The same of one that no handler saw. `endpoint`: "other" where it is no route's.
  void count(const std::string& endpoint, int status);

  /// Counts what happens to a model, under its name. Not to be called after the metrics are gone.
  std::shared_ptr<ModelObserver> observer(const std::string& model);

  /// What the connection layer has counted, from now on a part of text(). Called before the first
  /// text(), and then by it in any thread.
  void watch_connections(std::function<HttpCounters()> counters);

  /// All in Prometheus's text format; of the queues, what `models` says now.
  std::string text(const std::vector<ModelStatus>& models, int64_t requests_in_flight);

 private:
  class Counted;
  struct Families;
  std::unique_ptr<Families> families_;
  std::function<HttpCounters()> connections_;
};

}  // namespace dietmt::service
