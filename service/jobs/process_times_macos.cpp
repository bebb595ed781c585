// Compiled by `.ci/run macos`, never run so far.
#include <sys/sysctl.h>

#include <cstdlib>

#include "service/jobs/process_times.h"

namespace dietmt::service {

std::string process_numbering() {
  char boot[64] = "";
  size_t size = sizeof boot;
  ::sysctlbyname("kern.bootsessionuuid", boot, &size, nullptr, 0);
  return std::string(boot) + ":0";
}

std::string process_start_time(const std::string& process) {
  int name[] = {CTL_KERN, KERN_PROC, KERN_PROC_PID, std::atoi(process.c_str())};
  kinfo_proc info{};
  size_t size = sizeof info;
  const bool is_found = ::sysctl(name, 4, &info, &size, nullptr, 0) == 0 && size == sizeof info;
  if (!is_found || info.kp_proc.p_stat == SZOMB) return "";
  const timeval start = info.kp_proc.p_starttime;
  return std::to_string(start.tv_sec) + "." + std::to_string(start.tv_usec);
}

}  // namespace dietmt::service
