#include "service/scheduling/busy_rate.h"

#include <cmath>

namespace dietmt::service {

void BusyRate::add(int64_t tokens, Clock::time_point now) {
  constexpr double kMemory = 30.0;
  const double elapsed = std::chrono::duration<double>(now - last_).count();
  const double kept = std::exp(-elapsed / kMemory);
  tokens_ = tokens_ * kept + static_cast<double>(tokens);
  seconds_ = seconds_ * kept + elapsed;
  last_ = now;
}

}  // namespace dietmt::service
