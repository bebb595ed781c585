// Cost of a position encoding in a training step: processor time of forward and backward of a
// translation model against the same model with sinusoidal positions; on a device, the time until
// the device is idle. Each pair of steps runs in turn on the same random batch; the Markdown table
// has the median ratio. A SPEC is of encoder and decoder, ENCODER/DECODER of each.
//
//   position_cost [--preset base] [--layers 2] [--tokens 2000] [--pairs 5] [--specs SPEC...]
//                 [--threads 1] [--device cuda --precision bf16]
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <ctime>
#include <iomanip>
#include <iostream>

#include "bench/benchmark.h"
#include "bench/place.h"
#include "encoders/ops/scopes.h"
#include "nmt/network/translation_model.h"

namespace {

using namespace dietmt;
using encoders::Packing;

struct Options {
  std::string preset = "base";
  int64_t layers = 2;
  int64_t tokens = 2000;
  int64_t longest = 50;
  int64_t warmup = 1;
  int64_t pairs = 5, threads = 1;
  std::string device = "cpu", precision = "fp32";
  std::vector<std::string> specs = {"none",
                                    "learned",
                                    "learnable-sinusoidal",
                                    "diet-rel",
                                    "t5",
                                    "bert-r",
                                    "alibi",
                                    "kerple",
                                    "fire",
                                    "shaw",
                                    "relative-sinusoidal",
                                    "relative-key",
                                    "relative-key-query",
                                    "deberta",
                                    "transformer-xl",
                                    "tupe-a",
                                    "tupe-r",
                                    "bert-a-d",
                                    "diet-abs",
                                    "diet-abs(share=layers)",
                                    "rope",
                                    "rope(pairs=halves)",
                                    "linformer/sinusoidal",
                                    "diet-abs-lin/sinusoidal",
                                    "sinusoidal/xpos",
                                    "heads[diet-rel:0-5,shaw:6-7]"};
};

struct Batch {
  Packing packing;
  at::Tensor tokens;
};

constexpr int64_t kVocabulary = 4000;
constexpr int64_t kShortest = 20;  // tokens of a sentence

Batch random_batch(const Options& options, at::Device device) {
  at::manual_seed(1);
  const Packing packing(bench::spread_lengths(kShortest, options.longest, options.tokens), device);
  return {packing, at::randint(kVocabulary, {packing.tokens()}, at::kLong).to(device)};
}

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

class Steps {
 public:
  explicit Steps(const Options& options)
      : options_(options), place_(options.device), batch_(random_batch(options, place_.device())) {}

  std::unique_ptr<nmt::TranslationModel> make_model(const std::string& spec) const {
    nmt::ModelConfig config = nmt::ModelConfig::preset(options_.preset);
    config.encoder_layers = config.decoder_layers = options_.layers;
    config.source_vocabulary = config.target_vocabulary = kVocabulary;
    const size_t slash = spec.find('/');
    config.encoder_position = spec.substr(0, slash);
    config.decoder_position = spec.substr(slash == std::string::npos ? 0 : slash + 1);
    auto model = std::make_unique<nmt::TranslationModel>(config, 1);
    model->to(place_.device());
    return model;
  }

  void warm_up(const nmt::TranslationModel& model) const {
    for (int64_t i = 0; i < options_.warmup; ++i) seconds(model);
  }

  double seconds(const nmt::TranslationModel& model) const {
    if (!place_.device().is_cpu()) return place_.seconds([&] { step(model); });
    const double start = processor_seconds();
    step(model);
    return processor_seconds() - start;
  }

 private:
  void step(const nmt::TranslationModel& model) const {
    at::Tensor loss;
    {
      const encoders::MixedPrecision mixed(options_.precision == "bf16");
      const at::Tensor memory = model.encode(batch_.tokens, batch_.packing);
      const at::Tensor hidden = model.decode(batch_.tokens, batch_.packing, memory, batch_.packing);
      loss = at::cross_entropy_loss(model.logits(hidden).to(at::kFloat), batch_.tokens);
    }
    loss.backward();
  }

  const Options& options_;
  bench::Place place_;
  Batch batch_;
};

void run(const Options& options) {
  at::set_num_threads(static_cast<int>(options.threads));
  const Steps steps(options);
  const auto baseline = steps.make_model("sinusoidal");
  steps.warm_up(*baseline);
  std::cout << std::fixed << std::setprecision(3)
            << "| encoding | step / sinusoidal |\n|---|---|\n";
  for (const std::string& spec : options.specs) {
    const auto model = steps.make_model(spec);
    steps.warm_up(*model);
    std::vector<double> ratios;
    for (int64_t p = 0; p < options.pairs; ++p) {
      const double own = steps.seconds(*model);
      ratios.push_back(own / steps.seconds(*baseline));
    }
    std::cout << "| " << spec << " | " << bench::median(ratios) << " |" << std::endl;
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  OptionTable table("position_cost", "", "Times training steps with each position encoding.");
  table.add("preset", &options.preset, "NAME", "sizes of the model")
      .add("layers", &options.layers, "N", "of encoder and decoder each", ranges::kLayers)
      .add("tokens", &options.tokens, "N", "of each side of the batch", ranges::kBatchTokens)
      .add("longest", &options.longest, "N", "tokens of the longest sentence", {.least = kShortest})
      .add("warmup", &options.warmup, "N", "steps before them", {.least = 0})
      .add("device", &options.device, "NAME", bench::kDeviceHelp)
      .add("precision", &options.precision, "", "of matrix products", bench::kPrecision)
      .add("pairs", &options.pairs, "N", "steps of either model", bench::kCount)
      .add("threads", &options.threads, "N", "threads", bench::kThreads)
      .add("specs", &options.specs, "SPEC...", "position encodings");
  return bench::run_benchmark(table, argc, argv, [&] { run(options); });
}
