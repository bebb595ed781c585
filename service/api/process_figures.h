// What the system says of this process, for its metrics.
#pragma once

#include <optional>

namespace dietmt::service {

struct ProcessFigures {
  double cpu_seconds = 0.0;  // user and system
  double start = 0.0;        // seconds since 1970
  double mapped = 0.0;       // bytes of virtual memory
  double resident = 0.0;     // bytes
  double threads = 0.0;
};

/// Nothing if the system does not say.
std::optional<ProcessFigures> process_figures();
std::optional<double> open_files();

}  // namespace dietmt::service
