#include "tests/counting_device/device_memory.h"

#include <c10/core/CPUAllocator.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/util/Exception.h>
#include <execinfo.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <new>
#include <utility>

#include "tests/counting_device/arena.h"
#include "tests/counting_device/recording.h"

namespace dietmt::counting {
namespace {

void free_mirror(void* mirror) {
  if (mirror != nullptr) arena().free(mirror);
}

std::atomic<int64_t> releases = 0;
std::atomic<int64_t> memory_limit = std::numeric_limits<int64_t>::max();

// Keeps the statistics of LibTorch's device allocators.
class DeviceAllocator : public c10::DeviceAllocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    const c10::Device device(c10::kPrivateUse1, 0);
    if (bytes == 0) return {nullptr, device};
    TORCH_CHECK_WITH(OutOfMemoryError,
                     arena().in_use() + static_cast<int64_t>(bytes) <= memory_limit,
                     "the counting device has no memory left");
    void* const mirror = arena().allocate(bytes, pool_of_recording());
    return {device_address_of(mirror), mirror, &free_mirror, device};
  }
  void copy_data(void* to, const void* from, size_t bytes) const override {
    std::memcpy(mirror_of(to), mirror_of(from), bytes);
  }
  bool initialized() override { return true; }
  void emptyCache(c10::MempoolId_t) override { ++releases; }
  void recordStream(const c10::DataPtr&, c10::Stream) override {}
  c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex) override {
    c10::CachingDeviceAllocator::DeviceStats stats;
    stats.allocated_bytes[0].current = arena().in_use();
    stats.allocated_bytes[0].peak = arena().most();
    return stats;
  }
  std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex) override {
    const auto all = std::min(static_cast<size_t>(memory_limit), kArenaBytes);
    const auto used = static_cast<size_t>(arena().in_use());
    return {all - std::min(all, used), all};
  }
  void resetAccumulatedStats(c10::DeviceIndex) override {}
  void resetPeakStats(c10::DeviceIndex) override { arena().reset_most(); }
};

class PinnedAllocator : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    void* const data = std::aligned_alloc(64, (bytes + 64) / 64 * 64);
    if (data == nullptr) throw std::bad_alloc();
    const std::scoped_lock lock(mutex_);
    blocks_[static_cast<char*>(data)] = std::max<size_t>(bytes, 1);
    return {data, data, &release, c10::kCPU};
  }
  void copy_data(void* to, const void* from, size_t bytes) const override {
    std::memcpy(to, from, bytes);
  }
  bool owns(const void* address) const {
    const std::scoped_lock lock(mutex_);
    const auto* const place = static_cast<const char*>(address);
    const auto after = blocks_.upper_bound(const_cast<char*>(place));
    if (after == blocks_.begin()) return false;
    const auto block = std::prev(after);
    return place < block->first + block->second;
  }
  static PinnedAllocator& instance() {
    static PinnedAllocator& allocator = *new PinnedAllocator;
    return allocator;
  }

 private:
  static void release(void* data) {
    const std::scoped_lock lock(instance().mutex_);
    instance().blocks_.erase(static_cast<char*>(data));
    std::free(data);
  }

  mutable std::mutex mutex_;
  std::map<char*, size_t> blocks_;
};

thread_local int64_t results_in_mirror = 0;

class MirrorOrHostAllocator : public c10::Allocator {
 public:
  explicit MirrorOrHostAllocator(c10::Allocator& host) : host_(host) {}
  c10::DataPtr allocate(size_t bytes) override {
    if (results_in_mirror == 0 || bytes == 0) return host_.allocate(bytes);
    void* const mirror = arena().allocate(bytes, pool_of_recording());
    return {mirror, mirror, &free_mirror, c10::kCPU};
  }
  void copy_data(void* to, const void* from, size_t bytes) const override {
    std::memcpy(to, from, bytes);
  }
  // oneDNN allocates without a DataPtr.
  c10::DeleterFnPtr raw_deleter() const override {
    static const c10::DeleterFnPtr host_deleter = host_.raw_deleter();
    return [](void* data) { is_mirror(data) ? free_mirror(data) : host_deleter(data); };
  }

 private:
  c10::Allocator& host_;
};

void report_read(int signal, siginfo_t* info, void*) {
  std::signal(signal, SIG_DFL);
  if (!is_device_memory(info->si_addr)) return;  // the instruction runs again and ends the process
  constexpr char kMessage[] = "host code reads or writes memory of the counting device:\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, kMessage, sizeof kMessage - 1);
  void* frames[40];
  backtrace_symbols_fd(frames, backtrace(frames, 40), STDERR_FILENO);
}

}  // namespace

bool is_device_memory(const void* address) {
  const auto* const place = static_cast<const char*>(address);
  return place >= arena().device() && place < arena().device() + kArenaBytes;
}

bool is_mirror(const void* address) {
  const auto* const place = static_cast<const char*>(address);
  return place >= arena().mirror() && place < arena().mirror() + kArenaBytes;
}

void* mirror_of(const void* device_address) {
  if (device_address == nullptr) return nullptr;
  return const_cast<char*>(static_cast<const char*>(device_address)) + kArenaBytes;
}

void* device_address_of(const void* mirror) {
  if (mirror == nullptr) return nullptr;
  return const_cast<char*>(static_cast<const char*>(mirror)) - kArenaBytes;
}

c10::Allocator& device_allocator() {
  static DeviceAllocator& allocator = *new DeviceAllocator;
  return allocator;
}

c10::Allocator& pinned_allocator() { return PinnedAllocator::instance(); }

bool is_pinned(const void* address) { return PinnedAllocator::instance().owns(address); }

ResultsInMirror::ResultsInMirror() { ++results_in_mirror; }

ResultsInMirror::~ResultsInMirror() { --results_in_mirror; }

void install_allocators() {
  static MirrorOrHostAllocator& allocator = *new MirrorOrHostAllocator(*c10::GetCPUAllocator());
  constexpr uint8_t kHighest = 255;
  c10::SetCPUAllocator(&allocator, kHighest);
  c10::SetAllocator(c10::kPrivateUse1, &device_allocator());
}

void report_reads_of_device_memory() {
  struct sigaction action = {};
  action.sa_sigaction = report_read;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, nullptr);
}

int64_t bytes_in_use() { return arena().in_use(); }
int64_t most_bytes_in_use() { return arena().most(); }
void reset_most_bytes() { arena().reset_most(); }

int64_t cache_releases() { return releases; }

MemoryLimit::MemoryLimit(int64_t bytes) { memory_limit = bytes; }
MemoryLimit::~MemoryLimit() { memory_limit = std::numeric_limits<int64_t>::max(); }

}  // namespace dietmt::counting
