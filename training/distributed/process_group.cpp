#include "training/distributed/process_group.h"

#include <ATen/ATen.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>
#define USE_C10D_GLOO  // here because the precompiled header was built without it
#include <torch/version.h>

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "common/error.h"
#include "common/exit_kinds.h"
#include "common/logging.h"
#include "common/process.h"
#include "encoders/device/device.h"
#include "training/processes/handshake.h"
#include "training/processes/peer_watch.h"
#include "training/processes/process_place.h"

namespace dietmt::training {
namespace {

using at::Tensor;
using namespace std::chrono_literals;
using Backend = c10::intrusive_ptr<c10d::Backend>;
using Store = c10::intrusive_ptr<c10d::Store>;
using Work = c10::intrusive_ptr<c10d::Work>;

constexpr std::chrono::milliseconds kConnectTime = 5min;
constexpr std::chrono::milliseconds kLossShows = 2500ms;  // longer than PeerWatch waits
constexpr char kProgram[] = "dietmt " DIETMT_VERSION " with LibTorch " TORCH_VERSION;
// Other ranks wait while rank 0 encodes a corpus or validates; PeerWatch notices lost processes.
constexpr std::chrono::milliseconds kWaitTime = 24h * 7;

// How the first process's turn ended.
constexpr float kDone = 0.0F, kFailed = 1.0F, kStopped = 2.0F;

// A library's message without its source position, "[.../pair.cc:534] Connection closed ...".
std::string reason_of(const std::string& message) {
  const size_t end = message.starts_with('[') ? message.find("] ") : std::string::npos;
  const size_t begin = end == std::string::npos ? 0 : end + 2;
  return message.substr(begin, message.find('\n', begin) - begin);
}

std::string in_one_line(std::string message) {
  std::ranges::replace(message, '\n', ' ');
  return message;
}

Handshake handshake_of(at::Device device, const std::string& problem) {
  Handshake own{kProgram, machine_name(), device.str(), {}, problem};
  try {
    own.identity = encoders::device_identity(device);
  } catch (const c10::Error& error) {
    if (own.problem.empty()) own.problem = in_one_line(error.what_without_backtrace());
  }
  return own;
}

std::string lost_text(const std::string& reason) {
  return "another process of this training has ended or cannot be reached (" + reason +
         "); its checkpoints are whole, and the same command continues from the last one";
}

// Without destructors: for threads other than the main one, and for NCCL, whose destructors would
// wait for the lost process.
[[noreturn]] void end_as_lost(const std::string& reason) {
  if (std::getenv(kLaunchedVariable) == nullptr) spdlog::error("{}", lost_text(reason));
  std::_Exit(kResumable);
}

Store connect_store(const ProcessPlace& place) {
  const bool keeps = place.rank == 0 && !place.launcher_keeps_store;
  const std::string where = place.address + ":" + std::to_string(place.port);
  c10d::TCPStoreOptions options;
  options.port = static_cast<uint16_t>(place.port);
  options.isServer = keeps;
  options.waitWorkers = false;
  options.timeout = kConnectTime;
  try {
    Store store = c10::make_intrusive<c10d::TCPStore>(place.address, options);
    // Launchers that restart processes keep the store of earlier attempts.
    return c10::make_intrusive<c10d::PrefixStore>("dietmt/" + place.attempt, store);
  } catch (const c10::Error& error) {
    const std::string reason = reason_of(error.what_without_backtrace());
    if (keeps) throw Error("rank 0 cannot listen at " + where + ": " + reason);
    throw PeerError("the processes of this training cannot be reached at " + where + ": " + reason);
  }
}

Backend connect_gloo(const ProcessPlace& place, const Store& store) {
  using Gloo = c10d::ProcessGroupGloo;
  const std::string own = address_towards(place.address);
  auto options = Gloo::Options::create(kConnectTime);
  const bool chosen_by_user = std::getenv("GLOO_SOCKET_IFNAME") != nullptr;
  if (chosen_by_user) {
    options->devices.push_back(Gloo::createDeviceForInterface(std::getenv("GLOO_SOCKET_IFNAME")));
  } else {
    options->devices.push_back(own.empty() ? Gloo::createDefaultDevice()
                                           : Gloo::createDeviceForHostname(own));
  }
  auto gloo = c10::make_intrusive<Gloo>(store, static_cast<int>(place.rank),
                                        static_cast<int>(place.processes), options);
  gloo->setTimeout(kWaitTime);
  return gloo;
}

}  // namespace

struct ProcessGroup::Impl {
  Store store;
  Backend gloo;
  Backend nccl;                      // null on the CPU
  std::unique_ptr<PeerWatch> watch;  // null until all processes have met

  bool lost = false;

  [[noreturn]] void throw_lost(const std::string& message) {
    // If the watch has begun to report, it also ends the process.
    while (watch && !lost && !watch->may_report()) ::pause();
    if (nccl && std::uncaught_exceptions() == 0) end_as_lost(reason_of(message));
    lost = true;
    throw PeerError(lost_text(reason_of(message)));
  }

  // NCCL does not say who failed. If another process is lost, the watch ends this one meanwhile.
  [[noreturn]] static void throw_failed(const std::string& message) {
    std::this_thread::sleep_for(kLossShows);
    throw Error("the devices cannot exchange numbers: " + in_one_line(message));
  }

  // Runs a call that communicates with other processes. A failed connection means that one was
  // lost, which a launcher may repair by a restart; any other failure would recur.
  template <typename Call>
  auto talk(const Call& call) {
    try {
      return call();
    } catch (const c10::DistBackendError& error) {
      if (nccl) throw_failed(error.what_without_backtrace());
      throw_lost(error.what_without_backtrace());
    } catch (const c10::DistError& error) {
      throw_lost(error.what_without_backtrace());
    } catch (const c10::Error&) {
      throw;  // an error in the call
    } catch (const Error&) {
      throw;
    } catch (const std::runtime_error& error) {  // from Gloo and the system
      throw_lost(error.what());
    }
  }

  c10d::Backend& backend(const Tensor& values) const { return values.is_cpu() ? *gloo : *nccl; }

  void watch_others(const ProcessPlace& place) {
    const std::string key = "watch";
    const Rendezvous rendezvous = {
        [&](const std::string& text) { store->set(key, text); },
        [&] { return store->get_to_str(key); },
    };
    watch = std::make_unique<PeerWatch>(
        connect_peers(place.rank, place.processes, place.address, rendezvous),
        [] { end_as_lost("its connection is closed"); });
  }
};

ProcessGroup::ProcessGroup(const ProcessPlace& place, at::Device device, const std::string& problem)
    : ProcessGroup(place, device, problem, connect_nccl) {}

ProcessGroup::ProcessGroup(const ProcessPlace& place, at::Device device, const std::string& problem,
                           const Connect& connect)
    : rank_(place.rank), processes_(place.processes), impl_(std::make_unique<Impl>()) {
  impl_->store = connect_store(place);
  impl_->talk([&] {
    impl_->gloo = connect_gloo(place, c10::make_intrusive<c10d::PrefixStore>("gloo", impl_->store));
    impl_->watch_others(place);
  });
  shake_hands(handshake_of(device, problem));
  if (!device.is_cpu()) connect_devices(device, connect);
}

void ProcessGroup::connect_devices(at::Device device, const Connect& connect) {
  std::string reason;
  try {
    impl_->nccl = connect(c10::make_intrusive<c10d::PrefixStore>("nccl", impl_->store), rank_,
                          processes_, kWaitTime);
    // NCCL connects the devices, each the current one of its process, on the first operation.
    std::vector<Tensor> first = {at::zeros({1}, at::TensorOptions().device(device.type()))};
    impl_->nccl->allreduce(first)->wait();
    return;
  } catch (const c10::Error& error) {
    reason = in_one_line(error.what_without_backtrace());
  }
  // If a process is lost, the watch ends this one meanwhile.
  std::this_thread::sleep_for(kLossShows);
  bool speaks = false;
  try {
    speaks = impl_->store->add("unconnected", 1) == 1;
  } catch (const c10::Error&) {
    // The process that kept the store has reported and exited.
  }
  if (!speaks) throw FirstProcessFailed();
  throw Error("rank " + std::to_string(rank_) + " on " + machine_name() +
              " cannot connect its GPU with the others: " + reason);
}

void ProcessGroup::shake_hands(const Handshake& own) {
  // Other versions use this key, too.
  const auto key = [](int64_t rank) { return "introduction" + std::to_string(rank); };
  std::string found;
  impl_->talk([&] {
    impl_->store->set(key(rank_), handshake_text(own));
    if (!is_first()) return;
    std::vector<Handshake> all;
    for (int64_t rank = 0; rank < processes_; ++rank)
      all.push_back(handshake_from(impl_->store->get_to_str(key(rank))));
    found = handshake_problem(all);
  });
  found = broadcast(found);
  if (found.empty()) return;
  finish();
  if (is_first()) throw ConfigError(found);
  throw FirstProcessFailed();
}

ProcessGroup::~ProcessGroup() = default;

std::function<void()> ProcessGroup::start_sum(Tensor values) {
  std::vector<Tensor> tensors = {std::move(values)};
  const Work work = impl_->talk([&] { return impl_->backend(tensors[0]).allreduce(tensors); });
  return [this, work] { impl_->talk([&] { work->wait(); }); };
}

void ProcessGroup::broadcast(Tensor values) {
  std::vector<Tensor> tensors = {std::move(values)};
  impl_->talk([&] { impl_->backend(tensors[0]).broadcast(tensors)->wait(); });
}

std::string ProcessGroup::broadcast(std::string text) {
  const Tensor size = at::tensor(static_cast<int64_t>(text.size()));
  broadcast(size);
  text.resize(static_cast<size_t>(size.item<int64_t>()));
  if (!text.empty()) broadcast(at::from_blob(text.data(), {std::ssize(text)}, at::kByte));
  return text;
}

void ProcessGroup::share_parts(Tensor values) {
  Tensor own = values.chunk(processes_)[static_cast<size_t>(rank_)].clone();
  impl_->talk([&] { impl_->backend(values)._allgather_base(values, own)->wait(); });
}

Tensor ProcessGroup::gather(const Tensor& part) {
  std::vector<Tensor> inputs = {part};
  std::vector<std::vector<Tensor>> outputs;
  Tensor all;
  if (is_first()) {
    all = at::empty({processes_ * part.numel()}, part.options());
    outputs.push_back(all.chunk(processes_));
  }
  impl_->talk([&] { impl_->backend(part).gather(outputs, inputs)->wait(); });
  return all;
}

void ProcessGroup::barrier() { sum(at::zeros({1})); }

void ProcessGroup::finish() {
  barrier();
  impl_->watch->part();
  if (impl_->nccl) impl_->nccl->shutdown();
}

std::unique_lock<std::mutex> ProcessGroup::hold() { return impl_->watch->hold(); }

RankZeroFirst::RankZeroFirst(ProcessGroup* group) : group_(group) {
  if (group == nullptr || group->is_first()) return;
  group_ = nullptr;
  const Tensor end = at::zeros({1});
  group->broadcast(end);
  if (end.item<float>() == kStopped) throw Stopped("the first process was stopped");
  if (end.item<float>() != kDone) throw FirstProcessFailed();
}

void RankZeroFirst::done() {
  if (group_ != nullptr) std::exchange(group_, nullptr)->broadcast(at::full({1}, kDone));
}

RankZeroFirst::~RankZeroFirst() {
  try {
    if (group_ != nullptr) group_->broadcast(at::full({1}, stop_requested() ? kStopped : kFailed));
  } catch (...) {
    // The others have ended already, or will notice that this process ends.
  }
}

}  // namespace dietmt::training
