// Packed linear layers of inference on one thread against ATen's at::linear (fp32) and FBGEMM's
// packed int8 layer, bias included, rounding and quantizing of the inputs too. They are timed in
// turn, round by round; a ratio is the median of the rounds' ratios. Processor time is taken, so
// that other programs on the same core disturb little.
//
//   packed_linear [--shapes ROWSxINPUTSxOUTPUTS ...] [--rounds 25] [--count 10]
#include "kernels/packed_linear.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/types.h>

#include <cstdlib>
#include <ctime>
#include <iomanip>
#include <iostream>
#include <memory>
#include <sstream>

#include "bench/benchmark.h"

namespace {

using namespace dietmt;
using kernels::WeightType;

struct Options {
  std::vector<std::string> shapes = {
      "1x512x512",     "1x512x2048",    "1x512x32000",  "5x256x256",    "5x512x512",
      "5x512x2048",    "5x2048x512",    "5x512x32000",  "160x128x128",  "160x256x256",
      "160x256x1024",  "160x512x512",   "160x512x2048", "160x2048x512", "160x256x8000",
      "160x512x32000", "320x1024x1024", "500x512x2048", "500x2048x512"};
  int64_t rounds = 25, count = 10;
};

struct Shape {
  int64_t rows, inputs, outputs;

  explicit Shape(const std::string& text) {
    std::istringstream from(text);
    char x = 0, y = 0;
    if (!(from >> rows >> x >> inputs >> y >> outputs) || x != 'x' || y != 'x' || !from.eof())
      throw ConfigError("--shapes: '" + text + "' is not ROWSxINPUTSxOUTPUTS");
  }
  double operations() const { return 2.0 * static_cast<double>(rows * inputs * outputs); }
};

struct Freed {
  void operator()(void* memory) const { std::free(memory); }
};
using Bytes = std::unique_ptr<void, Freed>;
Bytes allocate(size_t size) { return Bytes(std::aligned_alloc(64, (size + 64) / 64 * 64)); }

/// A layer in one type, with the memory of its calls.
class PackedLayer {
 public:
  PackedLayer(WeightType type, const at::Tensor& weights, const at::Tensor& bias, int64_t rows)
      : bias_(bias),
        panels_(allocate(kernels::packed_bytes(type, weights.size(0), weights.size(1)))),
        storage_(allocate(kernels::prepared_bytes(type, rows, weights.size(1)))),
        scales_(static_cast<size_t>(weights.size(0))),
        sums_(scales_.size()) {
    weights_ = {type,          weights.size(0), weights.size(1),
                panels_.get(), scales_.data(),  sums_.data()};
    const bool integers = type == WeightType::kInt8;
    kernels::pack_weights(type, weights_.outputs, weights_.inputs, weights.const_data_ptr<float>(),
                          weights_.inputs, panels_.get(), integers ? scales_.data() : nullptr,
                          integers ? sums_.data() : nullptr);
  }

  void run(const at::Tensor& input, const at::Tensor& output) const {
    const kernels::PreparedRows rows = kernels::linear_kernels().prepare_rows(
        weights_.type, input.size(0), weights_.inputs, input.const_data_ptr<float>(),
        weights_.inputs, storage_.get(), 0.0F);
    kernels::linear_kernels().linear({.weights = &weights_,
                                      .input = &rows,
                                      .bias = bias_.const_data_ptr<float>(),
                                      .output = output.data_ptr<float>(),
                                      .output_stride = weights_.outputs});
  }

 private:
  at::Tensor bias_;
  Bytes panels_, storage_;
  std::vector<float> scales_;
  std::vector<int32_t> sums_;
  kernels::PackedWeights weights_;
};

/// FBGEMM's layer: weights of one scale, inputs quantized by the whole matrix.
class FbgemmLayer {
 public:
  FbgemmLayer(const at::Tensor& weights, const at::Tensor& bias) : bias_(bias) {
    double scale = 0;
    int64_t zero = 0;
    std::tie(integers_, offsets_, scale, zero) = at::fbgemm_linear_quantize_weight(weights);
    scale_ = scale;
    zero_ = zero;
    packed_ = at::fbgemm_pack_quantized_matrix(integers_);
  }
  void run(const at::Tensor& input) const {
    at::fbgemm_linear_int8_weight_fp32_activation(input, integers_, packed_, offsets_, scale_,
                                                  zero_, bias_);
  }

 private:
  at::Tensor bias_, integers_, offsets_, packed_;
  at::Scalar scale_, zero_;
};

double processor_seconds(const std::function<void()>& work) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double start = now();
  work();
  return now() - start;
}

/// Times of each work, seconds, [work][round]; a round repeats each for about a millisecond.
std::vector<std::vector<double>> time_in_turn(const std::vector<std::function<void()>>& works,
                                              int64_t rounds) {
  std::vector<std::vector<double>> times(works.size());
  std::vector<int64_t> repeats;
  for (const auto& work : works) {
    work();
    repeats.push_back(1 + static_cast<int64_t>(1e-3 / processor_seconds(work)));
  }
  for (int64_t round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < works.size(); ++i) {
      const double time = processor_seconds([&] {
        for (int64_t repeat = 0; repeat < repeats[i]; ++repeat) works[i]();
      });
      times[i].push_back(time / static_cast<double>(repeats[i]));
    }
  }
  return times;
}

/// The median of first / second, round by round.
double ratio(const std::vector<double>& first, const std::vector<double>& second) {
  std::vector<double> ratios;
  for (size_t i = 0; i < first.size(); ++i) ratios.push_back(first[i] / second[i]);
  return bench::median(ratios);
}

void print_shape(const Shape& shape, const Options& options) {
  const at::Tensor weights = at::randn({shape.outputs, shape.inputs}) * 0.05;
  const at::Tensor bias = at::randn({shape.outputs});
  const at::Tensor input = at::randn({shape.rows, shape.inputs});
  const at::Tensor output = at::empty({shape.rows, shape.outputs});
  const PackedLayer fp32(WeightType::kFloat, weights, bias, shape.rows);
  const PackedLayer bf16(WeightType::kBFloat16, weights, bias, shape.rows);
  const PackedLayer int8(WeightType::kInt8, weights, bias, shape.rows);
  const FbgemmLayer fbgemm(weights, bias);
  const size_t selected = static_cast<size_t>(shape.rows * options.count);
  std::vector<float> normalizers(static_cast<size_t>(shape.rows)), values(selected);
  std::vector<int32_t> indices(selected);
  const auto select = [&] {
    kernels::linear_kernels().select_tokens({.rows = shape.rows,
                                             .size = shape.outputs,
                                             .logits = output.const_data_ptr<float>(),
                                             .stride = shape.outputs,
                                             .count = options.count,
                                             .log_normalizers = normalizers.data(),
                                             .indices = indices.data(),
                                             .values = values.data()});
  };
  const auto times =
      time_in_turn({[&] { at::linear(input, weights, bias); }, [&] { fp32.run(input, output); },
                    [&] { bf16.run(input, output); }, [&] { fbgemm.run(input); },
                    [&] { int8.run(input, output); }, select},
                   options.rounds);
  const auto speed = [&](size_t work) {
    return static_cast<int64_t>(shape.operations() / bench::median(times[work]) / 1e9 + 0.5);
  };
  std::cout << std::fixed << std::setprecision(2) << "| " << shape.rows << " x " << shape.inputs
            << " -> " << shape.outputs << " | " << speed(0) << " | " << speed(1) << " | "
            << ratio(times[0], times[1]) << " | " << speed(2) << " | " << ratio(times[0], times[2])
            << " | " << speed(3) << " | " << speed(4) << " | " << ratio(times[0], times[4]) << " | "
            << ratio(times[3], times[4]) << " | " << ratio(times[5], times[1]) << " | "
            << ratio(times[5], times[4]) << " |" << std::endl;
}

void run(const Options& options) {
  at::set_num_threads(1);
  const torch::NoGradGuard no_grad;
  std::cout << "| layer | ATen | fp32 | ATen / fp32 | bf16 | ATen / bf16 | FBGEMM | int8 | ATen / "
               "int8 | FBGEMM / int8 | selection / fp32 | selection / int8 |\n"
               "|---|---|---|---|---|---|---|---|---|---|---|---|\n";
  for (const std::string& shape : options.shapes) print_shape(Shape(shape), options);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  OptionTable table("packed_linear", "",
                    "Times packed linear layers against ATen and FBGEMM: GFLOP/s and ratios.");
  table.add("shapes", &options.shapes, "RxKxN...", "rows x inputs x outputs")
      .add("rounds", &options.rounds, "N", "timed rounds", bench::kCount)
      .add("count", &options.count, "N", "logits selected in each row", bench::kCount);
  return bench::run_benchmark(table, argc, argv, [&] { run(options); });
}
