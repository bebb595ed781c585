#include "tests/counting_device/launch_log.h"

#include <ctime>
#include <mutex>
#include <utility>

#include "tests/counting_device/counting_device.h"
#include "tests/counting_device/device_memory.h"
#include "tests/counting_device/recording.h"
#include "tests/counting_device/stack_frames.h"

namespace dietmt::counting {
namespace {

struct TracedLaunch {
  std::string operation;
  int64_t launches;
  StackFrames frames;
};

struct Log {
  std::mutex mutex;
  Counts counts;
  std::map<std::string, int64_t> by_operator;
  std::vector<std::pair<std::string, StackFrames>> waits;
  int64_t tracers = 0;
  std::vector<TracedLaunch> traced;
  int64_t without_computing = 0;
};

// Never destroyed: static tensors may be freed later.
Log& launch_log() {
  static Log& log = *new Log;
  return log;
}

thread_local int work_depth = 0;
thread_local int uncounted = 0;

double processor_seconds() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

Uncounted::Uncounted() { ++uncounted; }

Uncounted::~Uncounted() { --uncounted; }

void log_launches(const std::string& operation, int64_t launches) {
  if (is_recording()) return note_launches(launches);
  if (uncounted > 0) return;
  Log& log = launch_log();
  const std::scoped_lock lock(log.mutex);
  log.counts.launches += launches;
  log.by_operator[operation] += launches;
  if (log.tracers > 0) log.traced.push_back({operation, launches, StackFrames::here()});
}

void log_graph(int64_t launches) {
  log_launches("graph");
  Log& log = launch_log();
  const std::scoped_lock lock(log.mutex);
  log.counts.in_graphs += launches;
}

void log_copy(CopyKind kind) {
  if (kind != CopyKind::kDeviceToDevice) require_no_recording("copy to or from the host");
  if (uncounted > 0 || is_recording()) return;
  Log& log = launch_log();
  const std::scoped_lock lock(log.mutex);
  switch (kind) {
    case CopyKind::kHostToDevice:
      ++log.counts.host_to_device;
      break;
    case CopyKind::kDeviceToHost:
      ++log.counts.device_to_host;
      break;
    case CopyKind::kDeviceToDevice:
      ++log.counts.device_to_device;
      break;
  }
}

void log_wait(const std::string& operation) {
  require_no_recording("wait: " + operation);
  Log& log = launch_log();
  const std::scoped_lock lock(log.mutex);
  ++log.counts.waits;
  log.waits.emplace_back(operation, StackFrames::here());
}

bool computes() {
  Log& log = launch_log();
  const std::scoped_lock lock(log.mutex);
  return log.without_computing == 0;
}

DeviceWork::DeviceWork() : start_(processor_seconds()) { ++work_depth; }

DeviceWork::~DeviceWork() {
  if (--work_depth > 0) return;
  const double seconds = processor_seconds() - start_;
  Log& log = launch_log();
  const std::scoped_lock lock(log.mutex);
  log.counts.device_seconds += seconds;
}

Counts counts() {
  Log& log = launch_log();
  const std::scoped_lock lock(log.mutex);
  return log.counts;
}

void reset_counts() {
  Log& log = launch_log();
  const std::scoped_lock lock(log.mutex);
  log.counts = {};
  log.by_operator.clear();
  log.waits.clear();
  reset_most_bytes();
}

std::map<std::string, int64_t> launches_by_operator() {
  Log& log = launch_log();
  const std::scoped_lock lock(log.mutex);
  return log.by_operator;
}

std::vector<Place> places_of_waits() {
  constexpr int kFrames = 6;
  Log& log = launch_log();
  const std::scoped_lock lock(log.mutex);
  std::vector<Place> places;
  for (const auto& [operation, frames] : log.waits)
    places.push_back({operation, frames.dietmt_functions(kFrames)});
  return places;
}

TracedLaunches::TracedLaunches() {
  Log& log = launch_log();
  const std::scoped_lock lock(log.mutex);
  ++log.tracers;
}

TracedLaunches::~TracedLaunches() {
  Log& log = launch_log();
  const std::scoped_lock lock(log.mutex);
  if (--log.tracers == 0) log.traced.clear();
}

std::map<std::string, int64_t> TracedLaunches::by_place() const {
  Log& log = launch_log();
  const std::scoped_lock lock(log.mutex);
  std::map<std::string, int64_t> result;
  for (const TracedLaunch& launch : log.traced)
    result[launch.operation + " in " + launch.frames.dietmt_functions(1)] += launch.launches;
  return result;
}

WithoutComputing::WithoutComputing() {
  Log& log = launch_log();
  const std::scoped_lock lock(log.mutex);
  ++log.without_computing;
}

WithoutComputing::~WithoutComputing() {
  Log& log = launch_log();
  const std::scoped_lock lock(log.mutex);
  --log.without_computing;
}

int64_t allocated_bytes() { return bytes_in_use(); }
int64_t peak_bytes() { return most_bytes_in_use(); }

}  // namespace dietmt::counting
