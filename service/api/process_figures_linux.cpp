#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "service/api/process_figures.h"

namespace dietmt::service {
namespace {

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

}  // namespace

std::optional<ProcessFigures> process_figures() {
  const std::vector<double> fields = stat_fields();
  if (fields.size() < 21) return std::nullopt;
  const auto field = [&](size_t number) { return fields[number - 4]; };
  const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  const auto page = static_cast<double>(::sysconf(_SC_PAGESIZE));
  return ProcessFigures{.cpu_seconds = (field(14) + field(15)) / ticks,
                        .start = boot_time() + field(22) / ticks,
                        .mapped = field(23),
                        .resident = field(24) * page,
                        .threads = field(20)};
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

}  // namespace dietmt::service
