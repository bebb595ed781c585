#include "tests/counting_device/recording.h"

#include <ATen/core/LegacyTypeDispatch.h>

#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "common/error.h"
#include "tests/counting_device/arena.h"
#include "tests/counting_device/counting_device.h"
#include "tests/counting_device/device_memory.h"
#include "tests/counting_device/launch_log.h"

namespace dietmt::counting {
namespace {

/// The graph memory of one RecordedGraphs.
class Pool {
 public:
  Pool() : number_(++pools) {}
  ~Pool() { arena().disown(number_); }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  int64_t number() const { return number_; }

 private:
  static inline std::atomic<int64_t> pools = 0;
  int64_t number_;
};

class RecordedGraph : public encoders::DeviceGraph {
 public:
  explicit RecordedGraph(std::shared_ptr<const Pool> pool) : pool_(std::move(pool)) {}

  void record(const std::function<void()>& work);
  void replay() override;

  int64_t pool() const { return pool_->number(); }
  void note_use(const void* mirror);
  void note_launches(int64_t launches) { launches_ += launches; }
  void add(std::function<void()> call) { calls_.push_back(std::move(call)); }

 private:
  struct Used {
    Arena::Block block;
    std::vector<char> before;
  };
  void undo();

  std::shared_ptr<const Pool> pool_;
  int64_t allocations_before_ = 0;
  int64_t launches_ = 0;
  std::map<const char*, Used> used_;  // not allocated by the work
  std::vector<std::function<void()>> calls_;
};

constexpr c10::StreamId kRecordingStream = 1;

std::atomic<bool> refuses = false;

thread_local c10::StreamId stream_of_thread = 0;

std::atomic<RecordedGraph*> graph_of_stream = nullptr;  // the graph being recorded

RecordedGraph* recording() {
  return stream_of_thread == kRecordingStream ? graph_of_stream.load() : nullptr;
}

void RecordedGraph::record(const std::function<void()>& work) {
  static std::mutex mutex;  // the stream records one graph at a time
  if (refuses) throw Error("the counting device refuses to record");
  require_no_recording("record a graph");
  const std::scoped_lock lock(mutex);
  allocations_before_ = arena().allocations();
  graph_of_stream = this;
  const c10::StreamId before = exchange_stream(kRecordingStream);
  const auto end = [&] {
    exchange_stream(before);
    graph_of_stream = nullptr;
    undo();
  };
  try {
    work();
  } catch (...) {
    end();
    throw;
  }
  end();
}

void RecordedGraph::undo() {
  arena().spoil(pool_->number(), allocations_before_);
  for (auto& [place, used] : used_)
    std::memcpy(used.block.mirror, std::exchange(used.before, {}).data(), used.block.size);
}

void RecordedGraph::note_use(const void* mirror) {
  const Arena::Block block = arena().block_at(mirror);
  if (block.number == 0) throw Error("work of the counting device uses memory that nobody has");
  const bool is_own = block.owner == pool_->number() && block.number > allocations_before_;
  if (is_own || used_.contains(block.mirror)) return;
  used_[block.mirror] = {block, {block.mirror, block.mirror + block.size}};
}

void RecordedGraph::replay() {
  require_no_recording("replay a graph");
  const DeviceWork device_work;
  log_graph(launches_);
  for (const auto& [place, used] : used_)
    if (arena().block_at(place).number != used.block.number)
      throw Error("a graph uses memory that has been freed since its work was recorded");
  arena().spoil(pool_->number(), arena().allocations());
  if (!computes()) return;
  const Uncounted uncounted;
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  for (const auto& call : calls_) call();
}

class RecordedGraphs : public encoders::DeviceGraphs {
 public:
  c10::Device device() const override { return counting_device(); }

  std::unique_ptr<encoders::DeviceGraph> record(const std::function<void()>& work) override {
    auto graph = std::make_unique<RecordedGraph>(pool_);
    graph->record(work);
    return graph;
  }

 private:
  std::shared_ptr<const Pool> pool_ = std::make_shared<Pool>();
};

}  // namespace

std::unique_ptr<encoders::DeviceGraphs> recorded_graphs(c10::Device) {
  return std::make_unique<RecordedGraphs>();
}

RefusedRecordings::RefusedRecordings() { refuses = true; }

RefusedRecordings::~RefusedRecordings() { refuses = false; }

c10::StreamId current_stream() { return stream_of_thread; }

c10::StreamId exchange_stream(c10::StreamId stream) {
  return std::exchange(stream_of_thread, stream);
}

bool is_recording() { return recording() != nullptr; }

int64_t pool_of_recording() { return is_recording() ? recording()->pool() : 0; }

void require_no_join(c10::StreamId done, c10::StreamId waiting) {
  if (graph_of_stream == nullptr || (done == kRecordingStream) == (waiting == kRecordingStream))
    return;
  throw Error("a graph of the counting device cannot wait for another stream, nor that for it");
}

void require_no_recording(const std::string& operation) {
  if (is_recording()) throw Error("a graph of the counting device cannot " + operation);
}

void note_use(const void* mirror) {
  if (is_recording() && mirror != nullptr) recording()->note_use(mirror);
}

void note_launches(int64_t launches) { recording()->note_launches(launches); }

void record_call(std::function<void()> again) { recording()->add(std::move(again)); }

}  // namespace dietmt::counting
