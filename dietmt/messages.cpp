#include "dietmt/messages.h"

#include <mutex>

#include "common/logging.h"

namespace dietmt {

void log_to_stderr() {
  static std::once_flag done;
  std::call_once(done, init_logging);
}

}  // namespace dietmt
