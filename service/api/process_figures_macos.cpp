// Compiled by `.ci/run macos`, never run so far.
#include <libproc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <vector>

#include "service/api/process_figures.h"

namespace dietmt::service {
namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

}  // namespace

std::optional<ProcessFigures> process_figures() {
  proc_taskallinfo info{};
  if (::proc_pidinfo(::getpid(), PROC_PIDTASKALLINFO, 0, &info, sizeof info) != sizeof info)
    return std::nullopt;
  rusage use{};
  ::getrusage(RUSAGE_SELF, &use);
  const timeval start = {.tv_sec = static_cast<time_t>(info.pbsd.pbi_start_tvsec),
                         .tv_usec = static_cast<suseconds_t>(info.pbsd.pbi_start_tvusec)};
  return ProcessFigures{.cpu_seconds = seconds(use.ru_utime) + seconds(use.ru_stime),
                        .start = seconds(start),
                        .mapped = static_cast<double>(info.ptinfo.pti_virtual_size),
                        .resident = static_cast<double>(info.ptinfo.pti_resident_size),
                        .threads = static_cast<double>(info.ptinfo.pti_threadnum)};
}

// Asked for its size, the system answers with room for more files than are open.
std::optional<double> open_files() {
  const int most = ::proc_pidinfo(::getpid(), PROC_PIDLISTFDS, 0, nullptr, 0);
  if (most <= 0) return std::nullopt;
  std::vector<char> files(static_cast<size_t>(most));
  const int bytes = ::proc_pidinfo(::getpid(), PROC_PIDLISTFDS, 0, files.data(), most);
  if (bytes <= 0) return std::nullopt;
  return static_cast<double>(bytes) / sizeof(proc_fdinfo);
}

}  // namespace dietmt::service
