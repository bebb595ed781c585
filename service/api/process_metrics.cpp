#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

#include "service/api/metrics.h"

namespace dietmt::service {
namespace {

using prometheus::MetricFamily;
using prometheus::MetricType;

// The fields of /proc/self/stat after the program's name, which may contain spaces; the first is
// number 3 of proc(5).
std::vector<double> stat_fields() {
  std::ifstream file("/proc/self/stat");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::istringstream fields(text.substr(std::min(text.rfind(')') + 3, text.size())));  // past state
  return {std::istream_iterator<double>(fields), {}};
}

// Read once: for this file the kernel adds up the interrupts of all cores.
double boot_time() {
  static const double boot = [] {
    std::ifstream file("/proc/stat");
    double seconds = 0.0;
    for (std::string word; file >> word;)
      if (word == "btime" && file >> seconds) break;
    return seconds;
  }();
  return boot;
}

// Since Linux 6.2 the size of the directory; listing it takes a millisecond per thousand files.
std::optional<double> open_files() {
  constexpr const char* kFiles = "/proc/self/fd";
  struct stat status = {};
  if (::stat(kFiles, &status) == 0 && status.st_size > 0)
    return static_cast<double>(status.st_size);
  std::error_code error;
  const auto files = std::distance(std::filesystem::directory_iterator(kFiles, error),
                                   std::filesystem::directory_iterator());
  return error ? std::nullopt : std::optional(static_cast<double>(files));
}

void add_stat(std::vector<MetricFamily>& families) {
  const std::vector<double> fields = stat_fields();
  if (fields.size() < 21) return;
  const auto field = [&](size_t number) { return fields[number - 4]; };
  const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  const auto page = static_cast<double>(::sysconf(_SC_PAGESIZE));
  const auto add = [&](const char* name, const char* help, MetricType type, double value) {
    families.push_back(single_metric(name, help, type, value));
  };
  add("process_cpu_seconds_total", "User and system CPU time in seconds.", MetricType::Counter,
      (field(14) + field(15)) / ticks);
  add("process_start_time_seconds", "Start of the process in seconds since 1970.",
      MetricType::Gauge, boot_time() + field(22) / ticks);
  add("process_virtual_memory_bytes", "Virtual memory in bytes.", MetricType::Gauge, field(23));
  add("process_resident_memory_bytes", "Resident memory in bytes.", MetricType::Gauge,
      field(24) * page);
  add("process_threads", "Threads of the process.", MetricType::Gauge, field(20));
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
  add_stat(families);
  add_files(families);
  families.push_back(
      single_metric("dietmt_build_info", "The build; always 1.", MetricType::Gauge, 1.0));
  families.back().metric[0].label = {{"version", DIETMT_VERSION}, {"compiler", __VERSION__}};
  return families;
}

}  // namespace dietmt::service
