#include "training/loop/recorded_passes.h"

#include <ATen/ATen.h>
#include <c10/util/Exception.h>
#include <torch/types.h>

#include <algorithm>
#include <utility>

#include "encoders/device/device_memory.h"

namespace dietmt::training {

using at::Tensor;

namespace {

constexpr const char* kWork = "training";

/// While it lives, the parameters have no gradients; then they have those from before again.
class WithoutGradients {
 public:
  explicit WithoutGradients(std::vector<Tensor>& parameters) : parameters_(parameters) {
    for (Tensor& parameter : parameters_)
      before_.push_back(std::exchange(parameter.mutable_grad(), {}));
  }
  ~WithoutGradients() {
    for (size_t i = 0; i < parameters_.size(); ++i)
      parameters_[i].mutable_grad() = std::move(before_[i]);
  }
  WithoutGradients(const WithoutGradients&) = delete;
  WithoutGradients& operator=(const WithoutGradients&) = delete;

 private:
  std::vector<Tensor>& parameters_;
  std::vector<Tensor> before_;
};

/// Makes those that are missing. The copy is there to load its kernel: a recording is no place to
/// do so.
void make_tensors_like(const std::vector<Tensor>& parameters, std::vector<Tensor>& tensors) {
  if (!tensors.empty()) return;
  std::vector<Tensor> made, values;
  for (const Tensor& parameter : parameters) {
    tensors.emplace_back();
    if (!parameter.requires_grad()) continue;
    values.push_back(parameter.detach());
    made.push_back(tensors.back() = at::empty_like(values.back()));
  }
  at::_foreach_copy_(made, values);
}

}  // namespace

RecordedPasses::RecordedPasses(const torch::nn::Module& model,
                               std::unique_ptr<encoders::DeviceGraphs> graphs)
    : graphs_(std::move(graphs)), parameters_(model.parameters()) {}

size_t RecordedPasses::graphs() const {
  return static_cast<size_t>(std::ranges::count_if(
      entries_, [](const auto& item) { return item.second.recorded != nullptr; }));
}

Tensor RecordedPasses::run(const Sizes& sizes, const Tensor& numbers,
                           encoders::DropoutKeys& dropout, const Pass& pass) {
  if (!records() || !encoders::graphs_allowed()) return pass(nullptr, dropout);
  Entry& entry = entries_[sizes];
  // The first pass lets libraries allocate what they keep.
  if (++entry.uses == 1) return enqueue(dropout, pass);
  const bool is_ready = entry.recorded || (is_worth(entry) && record(entry, numbers, pass));
  if (!is_ready) return enqueue(dropout, pass);
  const torch::NoGradGuard no_gradients;
  const Recorded& recorded = *entry.recorded;
  move_gradients_away();
  recorded.numbers.copy_(numbers);
  dropout_key_.copy_(dropout.on_device(numbers.device()));
  recorded.graph->replay();
  add_gradients(recorded);
  return recorded.sums.clone();
}

// The memory that graphs hold serves no pass outside of them. So they go if it is missing, unless
// the pass may have added to gradients of other batches.
Tensor RecordedPasses::enqueue(encoders::DropoutKeys& dropout, const Pass& pass) {
  const encoders::DropoutKeys before = dropout;
  const bool can_repeat =
      graphs() > 0 && std::ranges::none_of(parameters_, [](const Tensor& parameter) {
        return parameter.grad().defined();
      });
  try {
    return pass(nullptr, dropout);
  } catch (const c10::OutOfMemoryError& error) {
    if (!can_repeat) throw;
    encoders::warn_without_graphs(kWork, error.what_without_backtrace());
  }
  forget_graphs();
  for (Tensor& parameter : parameters_) parameter.mutable_grad().reset();
  dropout = before;
  return pass(nullptr, dropout);
}

void RecordedPasses::forget_graphs() {
  entries_.clear();
  graphs_.reset();
  results_.clear();
  moved_.clear();
}

// A full set of graphs loses the one that was least used, if that was half as often as this.
// Sizes of about equal uses would drive each other out otherwise.
bool RecordedPasses::is_worth(const Entry& entry) {
  if (graphs() < kMostGraphs) return true;
  Entry* least = nullptr;
  for (auto& [sizes, other] : entries_) {
    const bool is_less = other.recorded && (least == nullptr || other.uses < least->uses);
    if (is_less) least = &other;
  }
  if (2 * least->uses > entry.uses) return false;
  least->recorded.reset();
  return true;
}

// Returns false, and forgets all graphs, if the device cannot record. What the allocator keeps of
// first passes does not serve recordings, and it cannot give it back meanwhile.
bool RecordedPasses::record(Entry& entry, const Tensor& numbers, const Pass& pass) {
  const bool recorded = encoders::records_or_warns(kWork, [&] {
    try {
      entry.recorded = recorded_pass(numbers, pass);
    } catch (const c10::OutOfMemoryError&) {
      encoders::release_cached_memory(numbers.device());
      entry.recorded = recorded_pass(numbers, pass);
    }
  });
  if (!recorded) forget_graphs();
  return recorded;
}

std::unique_ptr<RecordedPasses::Recorded> RecordedPasses::recorded_pass(const Tensor& numbers,
                                                                        const Pass& pass) {
  make_tensors_like(parameters_, results_);
  if (!dropout_key_.defined()) dropout_key_ = at::zeros({}, numbers.options().dtype(at::kLong));
  const WithoutGradients without(parameters_);
  auto made = std::make_unique<Recorded>();
  made->numbers = numbers.clone();
  made->graph = graphs_->record([&] {
    encoders::DropoutKeys dropout(dropout_key_);
    made->sums = pass(&made->numbers, dropout);
    store_gradients(*made);
  });
  return made;
}

// The last part of the recorded work: what a pass has computed is gone after the next one.
void RecordedPasses::store_gradients(Recorded& recorded) {
  const torch::NoGradGuard no_gradients;
  std::vector<Tensor> gradients, places;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    Tensor& gradient = parameters_[i].mutable_grad();
    if (!gradient.defined()) continue;
    recorded.trained.push_back(i);
    places.push_back(results_[i]);
    gradients.push_back(std::exchange(gradient, {}));
  }
  if (!gradients.empty()) at::_foreach_copy_(places, gradients);
}

void RecordedPasses::move_gradients_away() {
  std::vector<Tensor> gradients, places;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    Tensor& gradient = parameters_[i].mutable_grad();
    if (!gradient.defined() || !gradient.is_same(results_[i])) continue;
    make_tensors_like(parameters_, moved_);
    places.push_back(moved_[i]);
    gradients.push_back(std::exchange(gradient, moved_[i]));
  }
  if (!gradients.empty()) at::_foreach_copy_(places, gradients);
}

void RecordedPasses::add_gradients(const Recorded& recorded) {
  std::vector<Tensor> gradients, added;
  for (const size_t i : recorded.trained) {
    Tensor& gradient = parameters_[i].mutable_grad();
    if (gradient.defined()) {
      gradients.push_back(gradient);
      added.push_back(results_[i]);
    } else {
      gradient = results_[i];
    }
  }
  if (!gradients.empty()) at::_foreach_add_(gradients, added);
}

}  // namespace dietmt::training
