// What Prometheus's client libraries tell of every process, under their names
// (https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics), and the build.
#pragma once

#include <prometheus/metric_family.h>

#include <string>
#include <vector>

namespace dietmt::service {

/// A family with one value without labels.
prometheus::MetricFamily single_metric(const std::string& name, const std::string& help,
                                       prometheus::MetricType type, double value);

/// process_* and dietmt_build_info. Values that /proc does not give are left out.
std::vector<prometheus::MetricFamily> process_families();

}  // namespace dietmt::service
