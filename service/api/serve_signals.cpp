#include "service/api/serve_signals.h"

#include "common/system.h"

namespace dietmt::service {

ServeSignals::ServeSignals() {
  sigemptyset(&signals_);
  for (const int signal : {SIGHUP, SIGTERM, SIGINT, SIGUSR1, SIGUSR2}) sigaddset(&signals_, signal);
  pthread_sigmask(SIG_BLOCK, &signals_, &before_);
}

ServeSignals::~ServeSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

ServeSignals::Event ServeSignals::wait(std::chrono::milliseconds patience) const {
  const int signal = take_signal(signals_, patience);
  if (signal == SIGHUP) return Event::kReload;
  if (signal == SIGUSR1) return Event::kLogMore;
  if (signal == SIGUSR2) return Event::kLogLess;
  return signal > 0 ? Event::kStop : Event::kNone;
}

}  // namespace dietmt::service
