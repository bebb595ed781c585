// The work of a training step on a GPU, counted without one: launches, copies, waits of the host,
// and the time the host takes to enqueue the step, on the counting device (tests/counting_device/).
// The time is that of the step without the time inside emulated kernels; large results are not
// computed. LibTorch's own cost of a launch is among the latter, so the true time is longer by
// that.
//
//   device_steps [--preset base] [--position diet-rel] [--batch-tokens 4096] [--updates 5]
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "bench/benchmark.h"
#include "common/random.h"
#include "data/text/tokenizer_training.h"
#include "encoders/device/device_graphs.h"
#include "nmt/training/translation_task.h"
#include "tests/counting_device/counting_device.h"
#include "training/optimization/optimizer.h"

namespace {

using namespace dietmt;
namespace fs = std::filesystem;

struct Options {
  std::string preset = "base", position = "sinusoidal";
  int64_t updates = 5, warmup = 2, batch_tokens = 4096, vocabulary = 32000;
  bool fp32 = false, places = false, graphs = false;
};

/// Lines of 5 to 45 words out of 200.
void write_lines(const fs::path& file, uint64_t seed) {
  Random random(seed);
  std::ofstream out(file);
  for (int line = 0; line < 4000; ++line) {
    for (uint64_t words = 5 + random.below(41); words > 0; --words) {
      const uint64_t word = random.below(200);
      out << static_cast<char>('a' + word % 20) << static_cast<char>('a' + word / 20) << ' ';
    }
    out << '\n';
  }
}

data::Tokenizer make_tokenizer(const fs::path& folder) {
  data::TokenizerOptions options;
  options.inputs = {(folder / "source").string(), (folder / "target").string()};
  options.vocabulary_size = 240;
  data::train_tokenizer(options, folder / "tokenizer");
  return data::Tokenizer(folder / "tokenizer");
}

/// Processor time of all threads.
double processor_seconds() {
  timespec time = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct Measured {
  std::vector<double> seconds, launches, host_to_device, device_to_host, waits;
};

nlohmann::json to_json(const std::map<std::string, int64_t>& counts) {
  std::vector<std::pair<int64_t, std::string>> sorted;
  for (const auto& [name, count] : counts) sorted.emplace_back(-count, name);
  std::ranges::sort(sorted);
  nlohmann::json list = nlohmann::json::array();
  for (const auto& [count, name] : sorted) list.push_back({name, -count});
  return list;
}

class Steps {
 public:
  Steps(const Options& options, const data::ParallelCorpus& corpus,
        const data::Tokenizer& tokenizer)
      : model_(make_model(options)),
        task_(model_, corpus, corpus, tokenizer, tokenizer, task_options(options)),
        optimizer_(*model_, {}) {}

  void step() {
    optimizer_.zero_gradients();
    encoders::DropoutKeys dropout(static_cast<uint64_t>(++updates_));
    const training::BatchLoss loss = task_.accumulate_gradients(dropout);
    optimizer_.scale_and_clip(1.0 / loss.targets, 25.0);
    optimizer_.step(1e-4);
  }

 private:
  static std::shared_ptr<nmt::TranslationModel> make_model(const Options& o) {
    nmt::ModelConfig config = nmt::ModelConfig::preset(o.preset);
    config.source_vocabulary = config.target_vocabulary = o.vocabulary;
    config.encoder_position = config.decoder_position = o.position;
    const auto model = std::make_shared<nmt::TranslationModel>(config, 1);
    counting::move_to_device(*model);
    return model;
  }

  static nmt::TranslationTaskOptions task_options(const Options& o) {
    nmt::TranslationTaskOptions options;
    options.batches.batch_tokens = o.batch_tokens;
    options.bf16 = !o.fp32;
    options.device = counting::counting_device();
    return options;
  }

  std::shared_ptr<nmt::TranslationModel> model_;
  nmt::TranslationTask task_;
  training::Optimizer optimizer_;
  int64_t updates_ = 0;
};

void measure(const Options& o, Steps& steps) {
  const counting::WithoutComputing without;
  for (int64_t i = 0; i < o.warmup; ++i) steps.step();
  Measured measured;
  for (int64_t i = 0; i < o.updates; ++i) {
    counting::reset_counts();
    const double start = processor_seconds();
    steps.step();
    const double seconds = processor_seconds() - start;
    const counting::Counts counts = counting::counts();
    measured.seconds.push_back(seconds - counts.device_seconds);
    measured.launches.push_back(static_cast<double>(counts.launches));
    measured.host_to_device.push_back(static_cast<double>(counts.host_to_device));
    measured.device_to_host.push_back(static_cast<double>(counts.device_to_host));
    measured.waits.push_back(static_cast<double>(counts.waits));
  }
  std::cout << nlohmann::json{{"preset", o.preset},
                              {"position", o.position},
                              {"type", o.fp32 ? "fp32" : "bf16"},
                              {"batch_tokens", o.batch_tokens},
                              {"graphs", o.graphs},
                              {"launches", bench::median(measured.launches)},
                              {"copies_to_device", bench::median(measured.host_to_device)},
                              {"copies_to_host", bench::median(measured.device_to_host)},
                              {"waits", bench::median(measured.waits)},
                              {"milliseconds_of_host", 1e3 * bench::median(measured.seconds)},
                              {"peak_device_bytes", counting::peak_bytes()}}
            << '\n'
            << nlohmann::json{{"launches_of_last_step", to_json(counting::launches_by_operator())}}
            << '\n';
  std::map<std::string, int64_t> waits;
  for (const counting::Place& place : counting::places_of_waits())
    ++waits[place.operation + ": " + place.frames.substr(0, place.frames.find('\n'))];
  std::cout << nlohmann::json{{"waits_of_last_step", to_json(waits)}} << '\n';
  if (!o.places) return;
  const counting::TracedLaunches traced;
  steps.step();
  std::cout << nlohmann::json{{"launches_by_place", to_json(traced.by_place())}}.dump(1) << '\n';
}

void run(const Options& o) {
  at::set_num_threads(1);
  encoders::allow_graphs(o.graphs);
  const fs::path folder = fs::temp_directory_path() / "dietmt_device_steps";
  fs::create_directories(folder);
  write_lines(folder / "source", 1);
  write_lines(folder / "target", 2);
  const data::Tokenizer tokenizer = make_tokenizer(folder);
  const data::ParallelCorpus corpus({{(folder / "source").string(), (folder / "target").string()}},
                                    tokenizer, tokenizer, {}, folder / "cache", 1);
  Steps steps(o, corpus, tokenizer);
  measure(o, steps);
  fs::remove_all(folder);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  OptionTable table("device_steps", "",
                    "Counts what a training step asks of a GPU, and times the host's part.");
  table.add("preset", &options.preset, "NAME", "sizes of the model")
      .add("position", &options.position, "SPEC", "position encoding")
      .add("vocabulary", &options.vocabulary, "N", "pieces of the model", bench::kCount)
      .add("updates", &options.updates, "N", "updates that are counted", bench::kCount)
      .add("warmup", &options.warmup, "N", "updates before them", {.least = 0})
      .add("batch-tokens", &options.batch_tokens, "N", "target tokens of a batch",
           ranges::kBatchTokens)
      .add("graphs", &options.graphs, "",
           "record passes as graphs; give a --warmup of two epochs, 60 batches or more")
      .add("places", &options.places, "", "list launches by function, too")
      .add("fp32", &options.fp32, "", "fp32 instead of bf16");
  return bench::run_benchmark(table, argc, argv, [&] { run(options); });
}
