// The metrics of the service for Prometheus; docs/serving.md lists them.
#pragma once

#include <prometheus/metric_family.h>

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

  /// Counts and times a request that a handler has answered. `endpoint`: the path of its route.
  void answered(const std::string& endpoint, int status, double seconds);

  /// Counts a request that no handler saw. `endpoint`: "other" if the path has no route.
  void count(const std::string& endpoint, int status);

  /// Counts the events of a model. Must not outlive the metrics.
  std::shared_ptr<ModelObserver> observer(const std::string& model);

  /// Adds the counters of the connection layer to text(), which calls `counters` in any thread.
  /// Must precede the first text().
  void watch_connections(std::function<HttpCounters()> counters);

  /// Adds the families that `source` returns, in any thread, to text(). Must precede the first
  /// text().
  void add_source(std::function<std::vector<prometheus::MetricFamily>()> source);

  /// Counts a translation with a sign of degeneration. `sign`: "repeats itself" and so on.
  void guarded(const std::string& sign, bool is_replaced);

  /// All metrics in Prometheus's text format; the queues' come from `models`.
  std::string text(const std::vector<ModelStatus>& models, int64_t requests_in_flight);

 private:
  class Counted;
  struct Families;
  std::unique_ptr<Families> families_;
  std::function<HttpCounters()> connections_;
  std::vector<std::function<std::vector<prometheus::MetricFamily>()>> sources_;
};

/// A counter with one label.
prometheus::ClientMetric labelled_counter(const char* label, const std::string& value,
                                          double count);

/// A family with one value without labels.
prometheus::MetricFamily single_metric(const std::string& name, const std::string& help,
                                       prometheus::MetricType type, double value);

/// The process metrics of Prometheus's client libraries, under their names
/// (https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics), and
/// dietmt_build_info. Values that /proc does not provide are left out.
std::vector<prometheus::MetricFamily> process_families();

}  // namespace dietmt::service
