#include "service/api/serve_signals.h"

#include <ctime>

namespace dietmt::service {

ServeSignals::ServeSignals() {
  sigemptyset(&signals_);
  for (const int signal : {SIGHUP, SIGTERM, SIGINT, SIGUSR1, SIGUSR2}) sigaddset(&signals_, signal);
  pthread_sigmask(SIG_BLOCK, &signals_, &before_);
}

ServeSignals::~ServeSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

ServeSignals::Event ServeSignals::wait(std::chrono::milliseconds patience) const {
  timespec limit{};
  limit.tv_sec = patience.count() / 1000;
  limit.tv_nsec = (patience.count() % 1000) * 1'000'000;
  const int signal = sigtimedwait(&signals_, nullptr, &limit);
  if (signal == SIGHUP) return Event::kReload;
  if (signal == SIGUSR1) return Event::kLogMore;
  if (signal == SIGUSR2) return Event::kLogLess;
  return signal > 0 ? Event::kStop : Event::kNone;
}

}  // namespace dietmt::service
