#include "common/stop_signal.h"

#include <csignal>

namespace dietmt {
namespace {

volatile std::sig_atomic_t requested = 0;

extern "C" void on_stop_signal(int) { requested = 1; }

}  // namespace

void install_stop_signal() {
  struct sigaction action = {};
  action.sa_handler = on_stop_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
}

bool stop_requested() { return requested != 0; }

}  // namespace dietmt
