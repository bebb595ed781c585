// Long requests are parsed, split and encoded one for each core. If hundreds of threads did it at a
// time, short requests and probes would hardly get the processor.
#pragma once

#include <cstddef>
#include <optional>

#include "service/scheduling/turns.h"

namespace dietmt::service {

class PreparationTurn {
 public:
  /// Texts of more bytes are long; shorter ones never wait.
  static constexpr size_t kLongBytes = 4096;

  /// Waits for its turn if there are many `bytes`. Throws DeadlineExceeded and ClientGone.
  PreparationTurn(size_t bytes, const Patience& patience);

 private:
  std::optional<Turns::Turn> turn_;
};

}  // namespace dietmt::service
