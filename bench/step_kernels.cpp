// Time of the kernels of a decoding step: one JSON line each, with the memory that the kernel
// must read and write, a second. The sizes are those of `base`. Calls take turns on
// inputs that are larger in all than a device's caches, as those of layers are, and follow each
// other in a graph, as in a step.
//
//   step_kernels [--device cuda] [--type bf16] [--sentences 64] [--beam 5] [--tokens 30]
#include <ATen/ATen.h>
#include <torch/types.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <utility>

#include "bench/place.h"
#include "kernels/device_kernels.h"

namespace {

using namespace dietmt;
using at::Tensor;

struct Options {
  int64_t sentences = 64, beam = 5, tokens = 30, heads = 8, head_width = 64, classes = 32000;
  int64_t megabytes = 200;
  bench::Repeats repeats;
  std::string device = "cuda", type = "bf16";
};

class StepKernels {
 public:
  StepKernels(const Options& options, const bench::Place& place,
              const kernels::DeviceKernels& table)
      : o_(options),
        place_(place),
        table_(table),
        numbers_(at::TensorOptions(place.device()).dtype(bench::element_type(options.type))),
        scales_(static_cast<size_t>(options.heads), 0.125F) {}

  void run() {
    const int64_t hypotheses = o_.sentences * o_.beam;
    attention("self_attention", hypotheses, 1);
    attention("source_attention", o_.sentences, o_.beam);
    choice();
  }

 private:
  kernels::ElementType element() const {
    return encoders::element_type(numbers_.dtype().toScalarType());
  }
  Tensor whole_numbers(int64_t count, int64_t value) const {
    return at::full({count}, value, numbers_.dtype(at::kLong));
  }
  double bytes(int64_t elements) const {
    return static_cast<double>(elements) * static_cast<double>(numbers_.dtype().itemsize());
  }

  /// No two groups share keys.
  void attention(const std::string& name, int64_t groups, int64_t rows_per_group) const {
    const int64_t vector = o_.heads * o_.head_width, rows = groups * rows_per_group;
    const int64_t slots = groups * o_.tokens;
    const Tensor queries = at::randn({rows, vector}, numbers_);
    const Tensor output = at::empty_like(queries);
    const Tensor keys = at::randn({slots, vector}, numbers_), values = at::randn_like(keys);
    const Tensor places = at::randperm(slots, numbers_.dtype(at::kInt));
    const Tensor counts = whole_numbers(groups, o_.tokens);
    const Tensor positions = whole_numbers(groups, o_.tokens - 1);
    kernels::DeviceStepAttention call;
    call.type = element();
    call.groups = groups;
    call.rows_per_group = rows_per_group;
    call.heads = o_.heads;
    call.head_width = o_.head_width;
    call.queries = {queries.data_ptr(), vector};
    call.keys = {keys.data_ptr(), vector};
    call.values = {values.data_ptr(), vector};
    call.slots = places.data_ptr<int32_t>();
    call.slot_stride = o_.tokens;
    call.counts = counts.data_ptr<int64_t>();
    call.positions = positions.data_ptr<int64_t>();
    call.terms.content_scale = scales_.data();
    call.output = {output.data_ptr(), vector};
    const double of_call = bytes((2 * slots + 2 * rows) * vector);
    std::vector<Tensor> kept;
    std::vector<kernels::DeviceStepAttention> calls;
    for (int64_t i = 0; i < copies(of_call); ++i) {
      const Tensor own_keys = kept.emplace_back(keys.clone());
      const Tensor own_values = kept.emplace_back(values.clone());
      call.keys.data = own_keys.data_ptr();
      call.values.data = own_values.data_ptr();
      calls.push_back(call);
    }
    time(name, of_call, table_.step_attention, calls);
  }

  // Sums change with each call, but not the work.
  void choice() const {
    const int64_t rows = o_.sentences * o_.beam, candidates = 2 * o_.beam;
    const auto of = [&](at::ScalarType type) { return numbers_.dtype(type); };
    const Tensor logits = at::randn({rows, o_.classes}, numbers_);
    const Tensor sums = at::zeros({rows}, of(at::kDouble));
    const Tensor tokens = at::zeros({2, rows}, of(at::kLong));
    const Tensor chosen = at::zeros({o_.sentences, candidates, 3}, of(at::kInt));
    const Tensor log_probs = at::zeros({rows, candidates}, of(at::kFloat));
    const Tensor best = at::zeros({rows, candidates}, of(at::kInt));
    kernels::DeviceBeamStep call;
    call.type = element();
    call.sentences = o_.sentences;
    call.beam = o_.beam;
    call.classes = o_.classes;
    call.logits = logits.data_ptr();
    call.sums = sums.data_ptr<double>();
    call.tokens = tokens.data_ptr<int64_t>();
    call.parents = tokens.data_ptr<int64_t>() + rows;
    call.candidates = chosen.data_ptr<int32_t>();
    call.row_log_probs = log_probs.data_ptr<float>();
    call.row_tokens = best.data_ptr<int32_t>();
    const double of_call = bytes(rows * o_.classes);
    std::vector<Tensor> kept;
    std::vector<kernels::DeviceBeamStep> calls;
    for (int64_t i = 0; i < copies(of_call); ++i) {
      call.logits = kept.emplace_back(logits.clone()).data_ptr();
      calls.push_back(call);
    }
    time("beam_step", of_call, table_.beam_step, calls);
  }

  int64_t copies(double bytes_of_call) const {
    return static_cast<int64_t>(static_cast<double>(o_.megabytes) * 1e6 / bytes_of_call) + 1;
  }

  template <typename Call>
  void time(const std::string& name, double bytes, void (*kernel)(const Call&),
            const std::vector<Call>& calls) const {
    nlohmann::json line{
        {"kernel", name}, {"type", o_.type}, {"sentences", o_.sentences}, {"beam", o_.beam}};
    const auto graphs = encoders::graphs_of(place_.device());
    if (graphs == nullptr) throw Error("the device has no graphs");
    const auto graph = graphs->record([&] {
      for (const Call& call : calls) kernel(call);
    });
    const double seconds = place_.median_seconds([&] { graph->replay(); }, o_.repeats) /
                           static_cast<double>(calls.size());
    line["microseconds"] = seconds * 1e6;
    line["gigabytes_per_second"] = bytes * 1e-9 / seconds;
    std::cout << line << std::endl;
  }

  const Options& o_;
  const bench::Place& place_;
  const kernels::DeviceKernels& table_;
  at::TensorOptions numbers_;
  std::vector<float> scales_;
};

void run(const Options& options) {
  const bench::Place place(options.device);
  if (!kernels::has_step_attention(options.heads, options.head_width))
    throw ConfigError("the kernels have no heads of width " + std::to_string(options.head_width));
  StepKernels(options, place, bench::kernels_of(place, options.device)).run();
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  OptionTable table("step_kernels", "", "Times the kernels of a decoding step on a device.");
  table.add("sentences", &options.sentences, "N", "sentences decoded side by side", bench::kCount)
      .add("beam", &options.beam, "N", "beam size", {.least = 1, .most = kernels::kWidestStepBeam})
      .add("tokens", &options.tokens, "N", "tokens that each query sees", bench::kCount)
      .add("heads", &options.heads, "N", "attention heads", bench::kCount)
      .add("head-width", &options.head_width, "N", "width of a head", ranges::kWidth)
      .add("classes", &options.classes, "N", "pieces of the vocabulary", ranges::kVocabulary)
      .add("megabytes", &options.megabytes, "N", "size of the inputs that calls take turns on",
           bench::kCount)
      .add("type", &options.type, "", "element type", bench::kElement)
      .add("device", &options.device, "NAME", bench::kDeviceHelp);
  bench::add_repeats(table, options.repeats);
  return bench::run_benchmark(table, argc, argv, [&] { run(options); });
}
