// Attention without the rest of the model: forward, and a training step (forward and backward with
// --dropout), of each position encoding against the same kernel without any, and of the kernel
// against ATen's attention on the padded batch. Two things are timed in turn, round by round; the
// ratio is the median of the rounds' ratios. On a device a round is --calls calls between two
// events. Memory is the growth of the peak resident size during one step, on a device that of the
// allocated memory.
//
//   attention [--encodings SPEC ...] [--lengths 20-60 20-128 512 1024 2048] [--tokens 4096]
//             [--heads 8] [--head-width 64] [--rounds 15] [--threads 2]
//             [--device cuda --type bf16]    the CUDA kernels run bf16 and fp16
#include "encoders/attention/attention.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <malloc.h>
#include <torch/types.h>

#include <cmath>
#include <iomanip>
#include <iostream>
#include <sstream>

#include "bench/benchmark.h"
#include "bench/place.h"
#include "common/memory_use.h"
#include "encoders/position/scheme/position_scheme.h"

namespace {

using namespace dietmt;
using encoders::Backend;
using encoders::Packing;

struct Options {
  std::vector<std::string> encodings = {"none", "diet-rel", "t5", "shaw(clip=16)"};
  std::vector<std::string> lengths = {"20-60", "20-128", "512", "1024", "2048"};
  int64_t tokens = 4096, heads = 8, head_width = 64, rounds = 15, calls = 1, threads = 2;
  int64_t warmup = 1;
  double dropout = 0.1;
  std::string device = "cpu", type = "fp32", backend = "auto", tiles = "packed";
};

/// Sentences of lengths drawn evenly from "A-B", or all of length A, of about `tokens` tokens.
std::vector<int64_t> draw_lengths(const std::string& range, int64_t tokens) {
  const size_t dash = range.find('-');
  const int64_t shortest = std::stoll(range.substr(0, dash));
  const int64_t longest = dash == std::string::npos ? shortest : std::stoll(range.substr(dash + 1));
  return bench::spread_lengths(shortest, longest, tokens);
}

/// With tiles for the kernels of a device as in --tiles.
Packing make_packing(const Options& options, const std::string& range, at::Device device) {
  const std::vector<int64_t> lengths = draw_lengths(range, options.tokens);
  encoders::PackingSizes sizes = encoders::packing_sizes(lengths, device);
  if (options.tiles == "single") sizes.packed_tiles = 0;
  const at::Tensor numbers = at::empty({sizes.numbers()}, at::kLong);
  encoders::write_packing(lengths, sizes, numbers.mutable_data_ptr<int64_t>());
  return Packing(lengths, sizes, numbers.to(device));
}

struct Paired {
  double ratio;   // time of the first / time of the second
  double second;  // seconds
};

class Timer {
 public:
  Timer(const bench::Place& place, const Options& options) : place_(place), options_(options) {}

  Paired time_in_turn(const std::function<void()>& first,
                      const std::function<void()>& second) const {
    for (int64_t i = 0; i < options_.warmup; ++i) {
      first();
      second();
    }
    std::vector<double> ratios, times;
    for (int64_t round = 0; round < options_.rounds; ++round) {
      const double a = place_.seconds_of_call(first, options_.calls);
      times.push_back(place_.seconds_of_call(second, options_.calls));
      ratios.push_back(a / times.back());
    }
    return {bench::median(ratios), bench::median(times)};
  }

 private:
  const bench::Place& place_;
  const Options& options_;
};

/// Kilobytes of one line of /proc/self/status.
double status_kilobytes(const std::string& name) {
  std::istringstream lines(read_file("/proc/self/status"));
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(name + ":")) return std::stod(line.substr(name.size() + 1));
  return std::nan("");
}

double peak_megabytes(const bench::Place& place, const std::function<void()>& work) {
  work();
  if (!place.device().is_cpu()) return place.peak_bytes(work) / (1 << 20);
  malloc_trim(0);  // or the step would reuse resident memory
  reset_peak_memory();
  const double before = status_kilobytes("VmRSS");
  work();
  return (status_kilobytes("VmHWM") - before) / 1024;
}

/// Attention of one packed batch.
class Batch {
 public:
  Batch(const Options& options, const std::string& range, at::Device device)
      : options_(options), device_(device), packing_(make_packing(options, range, device)) {
    const auto random = [&](at::IntArrayRef sizes) {
      const at::Tensor numbers = at::randn(sizes).to(device, bench::element_type(options.type));
      return numbers.requires_grad_(true);
    };
    const int64_t n = packing_.tokens();
    for (at::Tensor* x : {&q_, &k_, &v_}) *x = random({n, options.heads, options.head_width});
    const std::vector<int64_t> padded = {packing_.sentences(), options.heads, packing_.max_length(),
                                         options.head_width};
    for (at::Tensor* x : {&padded_q_, &padded_k_, &padded_v_}) *x = random(padded);
    // One table for all sentences, as a relative bias would be; its gradient is a sum over them.
    mask_ = random({1, options.heads, packing_.max_length(), packing_.max_length()});
  }

  std::shared_ptr<encoders::PositionScheme> scheme(const std::string& spec) const {
    auto made = std::make_shared<encoders::PositionScheme>(
        spec, encoders::EncodingContext{
                  .layers = 1,
                  .heads = options_.heads,
                  .head_width = options_.head_width,
                  .model_width = options_.heads * options_.head_width,
                  .max_positions = 2048,
                  .starts_with_summary = spec.find("cls=untied") != std::string::npos});
    made->to(device_);
    return made;
  }

  void forward(const encoders::PositionScheme& scheme) const {
    const torch::NoGradGuard no_grad;
    attend(scheme, 0.0);
  }
  void step(const encoders::PositionScheme& scheme) const {
    attend(scheme, options_.dropout).sum().backward();
  }
  void aten_forward(bool masked) const {
    const torch::NoGradGuard no_grad;
    aten(masked, 0.0);
  }
  void aten_step(bool masked) const {
    // Without a mask and without dropout, ATen has a fused kernel on the CPU.
    const bool fused = !masked && device_.is_cpu();
    aten(masked, fused ? 0.0 : options_.dropout).sum().backward();
  }

  double padding() const {
    const auto slots = static_cast<double>(packing_.sentences() * packing_.max_length());
    return 1.0 - static_cast<double>(packing_.tokens()) / slots;
  }

 private:
  at::Tensor attend(const encoders::PositionScheme& scheme, double dropout) const {
    const int64_t longest = packing_.max_length();
    const encoders::ScoreTerms terms =
        encoders::multiply_features(scheme.lower({longest, longest}, q_))[0];
    return encoders::attend({.queries = q_,
                             .keys = k_,
                             .values = v_,
                             .query_packing = packing_,
                             .key_packing = packing_,
                             .terms = terms,
                             .dropout = encoders::DropoutKeys(1).next(dropout)},
                            encoders::parse_backend(options_.backend));
  }
  at::Tensor aten(bool masked, double dropout) const {
    const std::optional<at::Tensor> mask = masked ? std::optional(mask_) : std::nullopt;
    return at::scaled_dot_product_attention(padded_q_, padded_k_, padded_v_, mask, dropout);
  }

  const Options& options_;
  at::Device device_;
  Packing packing_;
  at::Tensor q_, k_, v_, padded_q_, padded_k_, padded_v_, mask_;
};

std::string number(double value, int digits) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(digits) << value;
  return text.str();
}

/// Short ones with another digit.
std::string milliseconds(double seconds) { return number(seconds * 1e3, seconds < 0.01 ? 3 : 2); }

void run(const Options& options) {
  at::set_num_threads(static_cast<int>(options.threads));
  const bench::Place place(options.device);
  const Timer timer(place, options);
  std::cout
      << "| tokens a sentence | encoding | forward / none | step / none | ATen / forward | ATen / "
         "step | forward ms | step ms | MB |\n|---|---|---|---|---|---|---|---|---|\n";
  for (const std::string& range : options.lengths) {
    const Batch batch(options, range, place.device());
    const auto none = batch.scheme("none");
    for (const std::string& spec : options.encodings) {
      const auto scheme = batch.scheme(spec);
      const bool masked = spec != "none";
      const auto forward = [&] { batch.forward(*scheme); };
      const auto step = [&] { batch.step(*scheme); };
      const Paired plain = timer.time_in_turn(forward, [&] { batch.forward(*none); });
      const Paired plain_step = timer.time_in_turn(step, [&] { batch.step(*none); });
      const Paired aten = timer.time_in_turn([&] { batch.aten_forward(masked); }, forward);
      const Paired aten_step = timer.time_in_turn([&] { batch.aten_step(masked); }, step);
      std::cout << "| " << range << " | " << spec << " | " << number(plain.ratio, 2) << " | "
                << number(plain_step.ratio, 2) << " | " << number(aten.ratio, 2) << " | "
                << number(aten_step.ratio, 2) << " | " << milliseconds(aten.second) << " | "
                << milliseconds(aten_step.second) << " | " << number(peak_megabytes(place, step), 1)
                << " |" << std::endl;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  OptionTable table("attention", "", "Times attention with each position encoding.");
  table.add("encodings", &options.encodings, "SPEC...", "position encodings")
      .add("lengths", &options.lengths, "N|A-B...", "tokens of a sentence, or a range")
      .add("tokens", &options.tokens, "N", "tokens of the batch", ranges::kBatchTokens)
      .add("heads", &options.heads, "N", "heads", ranges::kHeads)
      .add("head-width", &options.head_width, "N", "width of a head", ranges::kWidth)
      .add("warmup", &options.warmup, "N", "calls before the timed rounds", {.least = 0})
      .add("rounds", &options.rounds, "N", "timed rounds", bench::kCount)
      .add("calls", &options.calls, "N", "calls in a round", bench::kCount)
      .add("threads", &options.threads, "N", "threads", bench::kThreads)
      .add("dropout", &options.dropout, "P", "dropout of the training step", ranges::kDropout)
      .add("device", &options.device, "NAME", bench::kDeviceHelp)
      .add("type", &options.type, "", "element type of queries, keys and values", bench::kElement)
      .add("backend", &options.backend, "NAME", "auto, cpu, cuda, hopper, sdpa or reference")
      .add("tiles", &options.tiles, "",
           "packed: short sentences share tiles of a device; single: they never do",
           {.choices = {"packed", "single"}});
  return bench::run_benchmark(table, argc, argv, [&] { run(options); });
}
