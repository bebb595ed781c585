// Limits parsing, splitting and encoding of long requests to one per core. Otherwise hundreds of
// threads would starve short requests and probes.
#pragma once

#include <cstddef>
#include <optional>

#include "service/scheduling/turns.h"

namespace dietmt::service {

class PreparationTurn {
 public:
  /// Longer texts wait for a turn.
  static constexpr size_t kLongBytes = 4096;

  /// Waits if `bytes` are more than kLongBytes. Throws DeadlineExceeded and ClientGone.
  PreparationTurn(size_t bytes, const Patience& patience);

 private:
  std::optional<Turns::Turn> turn_;
};

}  // namespace dietmt::service
