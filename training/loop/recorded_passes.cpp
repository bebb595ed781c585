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

/// Additions of gradients in one multi-tensor launch. A missing sum becomes the gradient.
class GradientSums {
 public:
  void add(Tensor& sum, const Tensor& gradient) {
    if (!sum.defined()) {
      sum = gradient;
      return;
    }
    sums_.push_back(sum);
    added_.push_back(gradient);
  }
  void enqueue() {
    if (!sums_.empty()) at::_foreach_add_(sums_, added_);
  }

 private:
  std::vector<Tensor> sums_, added_;
};

/// Takes the parameters' gradients away and puts them back at the end.
class GradientsApart {
 public:
  explicit GradientsApart(std::vector<Tensor>& parameters) : parameters_(parameters) {
    for (Tensor& parameter : parameters_)
      before_.push_back(std::exchange(parameter.mutable_grad(), {}));
  }
  ~GradientsApart() {
    for (size_t i = 0; i < parameters_.size(); ++i)
      parameters_[i].mutable_grad() = std::move(before_[i]);
  }
  GradientsApart(const GradientsApart&) = delete;
  GradientsApart& operator=(const GradientsApart&) = delete;

  /// Adds the gradients that a pass has produced meanwhile to the earlier ones.
  void add_those_of_pass() {
    const torch::NoGradGuard no_gradients;
    GradientSums sums;
    for (size_t i = 0; i < parameters_.size(); ++i) {
      const Tensor& gradient = parameters_[i].grad();
      if (gradient.defined()) sums.add(before_[i], gradient);
    }
    sums.enqueue();
  }

 private:
  std::vector<Tensor>& parameters_;
  std::vector<Tensor> before_;
};

/// Creates missing tensors. The copy loads its kernel, which cannot be done during a recording.
void make_tensors_like(const std::vector<Tensor>& parameters, std::vector<Tensor>& tensors) {
  if (!tensors.empty()) return;
  std::vector<Tensor> all, made, values;
  for (const Tensor& parameter : parameters) {
    all.emplace_back();
    if (!parameter.requires_grad()) continue;
    values.push_back(parameter.detach());
    made.push_back(all.back() = at::empty_like(values.back()));
  }
  if (!made.empty()) at::_foreach_copy_(made, values);
  tensors = std::move(all);
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
  if (!is_ready || !move_gradients_away()) return enqueue(dropout, pass);
  const torch::NoGradGuard no_gradients;
  const Recorded& recorded = *entry.recorded;
  recorded.numbers.copy_(numbers);
  dropout_key_.copy_(dropout.on_device(numbers.device()));
  recorded.graph->replay();
  add_gradients(recorded);
  return recorded.sums.clone();
}

// Passes outside the graphs cannot use the graphs' memory. If memory runs out, the graphs are
// dropped and the pass is enqueued again; it adds to other batches' gradients only once it is
// complete.
Tensor RecordedPasses::enqueue(encoders::DropoutKeys& dropout, const Pass& pass) {
  if (graphs() == 0) return pass(nullptr, dropout);
  const encoders::DropoutKeys before = dropout;
  try {
    GradientsApart apart(parameters_);
    const Tensor sums = pass(nullptr, dropout);
    apart.add_those_of_pass();
    return sums;
  } catch (const c10::OutOfMemoryError& error) {
    encoders::warn_without_graphs(kWork, error.what_without_backtrace());
  }
  forget_graphs();
  dropout = before;
  return pass(nullptr, dropout);
}

void RecordedPasses::forget_graphs() {
  entries_.clear();
  graphs_.reset();
  results_.clear();
  moved_.clear();
}

// Replaces the least used graph of a full set if it was used half as often as this size. Otherwise
// sizes with about equal use would keep evicting each other.
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

// Returns false, and forgets all graphs, if the device cannot record.
bool RecordedPasses::record(Entry& entry, const Tensor& numbers, const Pass& pass) {
  const bool recorded = encoders::records_or_warns(
      kWork, *graphs_, [&] { entry.recorded = recorded_pass(numbers, pass); });
  if (!recorded) forget_graphs();
  return recorded;
}

std::unique_ptr<RecordedPasses::Recorded> RecordedPasses::recorded_pass(const Tensor& numbers,
                                                                        const Pass& pass) {
  make_tensors_like(parameters_, results_);
  if (!dropout_key_.defined()) dropout_key_ = at::zeros({}, numbers.options().dtype(at::kLong));
  const GradientsApart apart(parameters_);
  auto made = std::make_unique<Recorded>();
  made->numbers = numbers.clone();
  made->graph = graphs_->record([&] {
    encoders::DropoutKeys dropout(dropout_key_);
    made->sums = pass(&made->numbers, dropout);
    store_gradients(*made);
  });
  return made;
}

// The last part of the recorded work: the next pass overwrites what a pass has computed.
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

// Returns false, and forgets all graphs, if there is no memory for the copies.
bool RecordedPasses::move_gradients_away() {
  const torch::NoGradGuard no_gradients;
  std::vector<Tensor> gradients, places;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    Tensor& gradient = parameters_[i].mutable_grad();
    if (!gradient.defined() || !gradient.is_same(results_[i])) continue;
    try {
      make_tensors_like(parameters_, moved_);
    } catch (const c10::OutOfMemoryError& error) {
      encoders::warn_without_graphs(kWork, error.what_without_backtrace());
      forget_graphs();
      return false;
    }
    places.push_back(moved_[i]);
    gradients.push_back(std::exchange(gradient, moved_[i]));
  }
  if (!gradients.empty()) at::_foreach_copy_(places, gradients);
  return true;
}

void RecordedPasses::add_gradients(const Recorded& recorded) {
  GradientSums sums;
  for (const size_t i : recorded.trained) sums.add(parameters_[i].mutable_grad(), results_[i]);
  sums.enqueue();
}

}  // namespace dietmt::training
