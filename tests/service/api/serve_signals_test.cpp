#include "service/api/serve_signals.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

namespace dietmt::service {
namespace {

using Event = ServeSignals::Event;
using namespace std::chrono_literals;

TEST(ServeSignalsTest, SignalsAreEventsOfTheThreadThatWaits) {
  const ServeSignals signals;
  std::jthread([] {  // another thread, which inherits the signal mask
    kill(getpid(), SIGHUP);
    std::this_thread::sleep_for(50ms);
  })
      .join();
  EXPECT_EQ(signals.wait(1s), Event::kReload);
  EXPECT_EQ(signals.wait(10ms), Event::kNone);
  kill(getpid(), SIGTERM);
  EXPECT_EQ(signals.wait(1s), Event::kStop);
  kill(getpid(), SIGUSR1);
  EXPECT_EQ(signals.wait(1s), Event::kLogMore);
  kill(getpid(), SIGUSR2);
  EXPECT_EQ(signals.wait(1s), Event::kLogLess);
  kill(getpid(), SIGINT);
  EXPECT_EQ(signals.wait(1s), Event::kStop);
}

TEST(ServeSignalsTest, AfterwardsASignalDoesWhatItDidBefore) {
  { const ServeSignals signals; }
  EXPECT_EXIT(kill(getpid(), SIGTERM), testing::KilledBySignal(SIGTERM), "");
}

}  // namespace
}  // namespace dietmt::service
