// Ranks as threads with one counting device, and their collectives: what NCCL does between GPUs.
#pragma once

#include <ATen/ATen.h>

#include <condition_variable>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <vector>

namespace dietmt::training {

/// The collectives of all ranks, in the order in which each rank calls them. The last rank to
/// arrive executes one for all, since no rank may wait before. Ranks whose calls differ in the
/// operation, the type or the number of elements are a mistake (std::logic_error).
class CountingCollectives {
 public:
  using Tensors = std::vector<at::Tensor>;  // by rank
  using Operation = void (*)(const Tensors& outputs, const Tensors& inputs);

  struct Call {
    Tensors outputs, inputs;
    Operation operation = nullptr;
    int64_t arrived = 0;
    bool done = false;
  };

  explicit CountingCollectives(int64_t ranks) : ranks_(ranks) {}

  void arrive(int64_t number, int64_t rank, at::Tensor output, at::Tensor input,
              Operation operation) {
    const std::lock_guard lock(mutex_);
    Call& call = calls_[number];
    for (const at::Tensor& other : call.inputs) {
      if (!other.defined()) continue;
      if (operation != call.operation || input.scalar_type() != other.scalar_type() ||
          input.numel() != other.numel())
        throw std::logic_error("rank " + std::to_string(rank) + ": collective " +
                               std::to_string(number) + " is not that of the other ranks");
    }
    call.operation = operation;
    call.outputs.resize(static_cast<size_t>(ranks_));
    call.inputs.resize(static_cast<size_t>(ranks_));
    call.outputs[static_cast<size_t>(rank)] = std::move(output);
    call.inputs[static_cast<size_t>(rank)] = std::move(input);
    if (++call.arrived < ranks_) return;
    operation(call.outputs, call.inputs);
    call.done = true;
    done_.notify_all();
  }

  void wait(int64_t number) {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [&] { return calls_.at(number).done; });
  }

 private:
  int64_t ranks_;
  std::mutex mutex_;
  std::condition_variable done_;
  std::map<int64_t, Call> calls_;
};

class CountingWork : public c10d::Work {
 public:
  CountingWork(CountingCollectives& collectives, int64_t number)
      : collectives_(collectives), number_(number) {}
  bool wait(std::chrono::milliseconds) override {
    collectives_.wait(number_);
    return true;
  }

 private:
  CountingCollectives& collectives_;
  int64_t number_;
};

class CountingBackend : public c10d::Backend {
 public:
  using WorkPointer = c10::intrusive_ptr<c10d::Work>;

  CountingBackend(CountingCollectives& collectives, int64_t rank, int64_t ranks)
      : Backend(static_cast<int>(rank), static_cast<int>(ranks)), collectives_(collectives) {}

  const std::string getBackendName() const override { return "counting"; }

  WorkPointer allreduce(std::vector<at::Tensor>& tensors, const c10d::AllreduceOptions&) override {
    return start(tensors[0], tensors[0], [](const auto& outputs, const auto& inputs) {
      at::Tensor sum = inputs[0].clone();
      for (size_t rank = 1; rank < inputs.size(); ++rank) sum.add_(inputs[rank]);
      for (at::Tensor output : outputs) output.copy_(sum);
    });
  }

  WorkPointer broadcast(std::vector<at::Tensor>& tensors, const c10d::BroadcastOptions&) override {
    return start(tensors[0], tensors[0], [](const auto& outputs, const auto& inputs) {
      for (size_t rank = 1; rank < outputs.size(); ++rank)
        at::Tensor(outputs[rank]).copy_(inputs[0]);
    });
  }

  WorkPointer _allgather_base(at::Tensor& output, at::Tensor& input,
                              const c10d::AllgatherOptions&) override {
    return start(output, input, [](const auto& outputs, const auto& inputs) {
      const at::Tensor all = at::cat(inputs);
      for (at::Tensor each : outputs) each.copy_(all.view_as(each));
    });
  }

  WorkPointer gather(std::vector<std::vector<at::Tensor>>& outputs, std::vector<at::Tensor>& inputs,
                     const c10d::GatherOptions&) override {
    // The parts of the first rank are consecutive views of one tensor.
    const at::Tensor whole = outputs.empty()
                                 ? at::Tensor()
                                 : outputs[0][0].as_strided({getSize() * inputs[0].numel()}, {1});
    return start(whole, inputs[0], [](const auto& all, const auto& parts) {
      at::Tensor(all[0]).copy_(at::cat(parts));
    });
  }

 private:
  WorkPointer start(at::Tensor output, at::Tensor input, CountingCollectives::Operation operation) {
    const int64_t number = next_++;
    collectives_.arrive(number, getRank(), std::move(output), std::move(input), operation);
    return c10::make_intrusive<CountingWork>(collectives_, number);
  }

  CountingCollectives& collectives_;
  int64_t next_ = 0;
};

}  // namespace dietmt::training
