#include <sys/resource.h>

#include <optional>

#include "service/api/metrics.h"
#include "service/api/process_figures.h"

namespace dietmt::service {
namespace {

using prometheus::MetricFamily;
using prometheus::MetricType;

void add_figures(std::vector<MetricFamily>& families) {
  const std::optional<ProcessFigures> figures = process_figures();
  if (!figures) return;
  const auto add = [&](const char* name, const char* help, MetricType type, double value) {
    families.push_back(single_metric(name, help, type, value));
  };
  add("process_cpu_seconds_total", "User and system CPU time in seconds.", MetricType::Counter,
      figures->cpu_seconds);
  add("process_start_time_seconds", "Start of the process in seconds since 1970.",
      MetricType::Gauge, figures->start);
  add("process_virtual_memory_bytes", "Virtual memory in bytes.", MetricType::Gauge,
      figures->mapped);
  add("process_resident_memory_bytes", "Resident memory in bytes.", MetricType::Gauge,
      figures->resident);
  add("process_threads", "Threads of the process.", MetricType::Gauge, figures->threads);
}

void add_files(std::vector<MetricFamily>& families) {
  if (const std::optional<double> open = open_files()) {
    families.push_back(
        single_metric("process_open_fds", "Open file descriptors.", MetricType::Gauge, *open));
  }
  rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  families.push_back(single_metric("process_max_fds", "Largest number of open file descriptors.",
                                   MetricType::Gauge, static_cast<double>(limit.rlim_cur)));
}

}  // namespace

std::vector<MetricFamily> process_families() {
  std::vector<MetricFamily> families;
  add_figures(families);
  add_files(families);
  families.push_back(
      single_metric("dietmt_build_info", "The build; always 1.", MetricType::Gauge, 1.0));
  families.back().metric[0].label = {{"version", DIETMT_VERSION}, {"compiler", __VERSION__}};
  return families;
}

}  // namespace dietmt::service
