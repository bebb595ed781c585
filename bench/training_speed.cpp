// Training speed: target tokens per second, the part of an update in which the host enqueues work
// and, of fp32 on the CPU, the share of an update that only its matrix products take: after all
// updates, the products of the linear layers (forward and both gradients) are timed on tensors of
// the same sizes, by the library that the layers use. Attention's own products do not count. Peak
// memory is that of the process before these products, or the memory of the device's allocator. On
// a device an update lasts from an idle device until it is idle again.
//
//   training_speed --source FILE --target FILE --tokenizer FILE [--preset tiny] [--updates 20]
//                  [--device cuda --precision bf16]
//                  [--write-batches FILE]     batches for bench/pytorch_baseline.py
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <ctime>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "bench/benchmark.h"
#include "bench/place.h"
#include "bench/recorded_passes.h"
#include "common/memory_use.h"
#include "encoders/device/device_graphs.h"
#include "encoders/ops/linear_products.h"
#include "nmt/training/translation_task.h"

namespace {

using namespace dietmt;

struct Product {
  int64_t rows, inputs, outputs;
};

// The linear layers of one pass over M source and N target tokens.
std::vector<Product> products_of(const nmt::ModelConfig& config, int64_t m, int64_t n) {
  const int64_t d = config.width;
  const int64_t f = config.feed_forward;
  std::vector<Product> all;
  for (int64_t l = 0; l < config.encoder_layers; ++l)
    all.insert(all.end(), {{m, d, 3 * d}, {m, d, d}, {m, d, f}, {m, f, d}});
  for (int64_t l = 0; l < config.decoder_layers; ++l) {
    all.insert(
        all.end(),
        {{n, d, 3 * d}, {n, d, d}, {n, d, d}, {m, d, 2 * d}, {n, d, d}, {n, d, f}, {n, f, d}});
  }
  all.push_back({n, d, config.target_vocabulary});
  return all;
}

double time_products(const std::vector<Product>& products) {
  double total = 0;
  for (const Product& p : products) {
    const at::Tensor x = at::ones({p.rows, p.inputs});
    const at::Tensor w = at::ones({p.outputs, p.inputs});
    const at::Tensor transposed = w.t().contiguous();
    const at::Tensor dy = at::ones({p.rows, p.outputs});
    total += bench::seconds([&] {
      encoders::fast_product(x, transposed);
      encoders::fast_product(dy, w);
      encoders::fast_transposed_product(dy, x);
    });
  }
  return total;
}

nlohmann::json sentences_json(const data::PackedTokens& packed) {
  nlohmann::json sentences = nlohmann::json::array();
  for (size_t b = 0; b + 1 < packed.offsets.size(); ++b) {
    sentences.push_back(std::vector<int32_t>(packed.tokens.begin() + packed.offsets[b],
                                             packed.tokens.begin() + packed.offsets[b + 1]));
  }
  return sentences;
}

struct Options {
  std::string source, target, tokenizer, preset = "tiny", position = "sinusoidal", batches_file;
  std::string device = "cpu", precision = "fp32";
  double dropout = 0.3;
  int64_t updates = 20, warmup = 3, batch_tokens = 4096, threads = 2;
  bool graphs = false, checkpoint_activations = false;
};

/// One line of JSON about the timed updates.
struct Measured {
  std::vector<double> seconds, host_seconds, speeds, product_shares;
  double peak_bytes = 0.0;
  double processor_seconds = 0.0;  // of all threads
  double target_tokens = 0.0;

  nlohmann::json json(const Options& o, int64_t vocabulary) const {
    nlohmann::json line{
        {"preset", o.preset},
        {"position", o.position},
        {"device", o.device},
        {"precision", o.precision},
        {"graphs", o.graphs},
        {"batch_tokens", o.batch_tokens},
        {"dropout", o.dropout},
        {"threads", o.threads},
        {"vocabulary", vocabulary},
        {"updates", o.updates},
        {"seconds_per_update", bench::median(seconds)},
        {"host_seconds_per_update", bench::median(host_seconds)},
        {"target_tokens_per_second", bench::median(speeds)},
        {"processor_seconds_per_million_tokens", 1e6 * processor_seconds / target_tokens}};
    if (!product_shares.empty()) line["share_of_matrix_products"] = bench::median(product_shares);
    if (peak_bytes > 0.0) line["peak_megabytes"] = peak_bytes / (1 << 20);
    return line;
  }
};

void run(const Options& o) {
  const bench::Place place(o.device);
  const bool on_cpu = place.device().is_cpu();
  at::set_num_threads(static_cast<int>(o.threads));
  encoders::allow_graphs(o.graphs);
  const data::Tokenizer tokenizer(o.tokenizer);
  const auto cache = std::filesystem::temp_directory_path() / "dietmt_training_speed.cache";
  const data::ParallelCorpus corpus({{o.source, o.target}}, tokenizer, tokenizer, {}, cache,
                                    o.threads);
  nmt::ModelConfig config = nmt::ModelConfig::preset(o.preset);
  config.source_vocabulary = config.target_vocabulary = tokenizer.vocabulary_size();
  config.dropout = config.embedding_dropout = o.dropout;
  config.encoder_position = config.decoder_position = o.position;
  const data::BatchOptions batch_options{o.batch_tokens, 1};

  // The same batches that the task will draw.
  data::BatchIterator batches(corpus, batch_options);
  std::vector<data::ParallelBatch> drawn;
  for (int64_t i = 0; i < o.warmup + o.updates; ++i) drawn.push_back(batches.next());
  if (!o.batches_file.empty()) {
    std::ofstream file(o.batches_file);
    for (const data::ParallelBatch& batch : drawn) {
      file << nlohmann::json{{"source", sentences_json(batch.source)},
                             {"target", sentences_json(batch.target)}}
           << '\n';
    }
  }

  nmt::TranslationTaskOptions task_options;
  task_options.batches = batch_options;
  task_options.device = place.device();
  task_options.bf16 = o.precision == "bf16";
  const auto model = std::make_shared<nmt::TranslationModel>(config, 1);
  model->to(place.device());
  model->set_recomputation(o.checkpoint_activations);
  nmt::TranslationTask task(model, corpus, corpus, tokenizer, tokenizer, task_options);
  training::Optimizer optimizer(*model, {});
  if (o.graphs) bench::record_passes(task, o.warmup + o.updates);
  Measured measured;
  for (int64_t i = 0; i < o.warmup + o.updates; ++i) {
    double enqueued = 0.0;
    const auto update = [&] {
      enqueued = bench::seconds([&] {
        optimizer.zero_gradients();
        encoders::DropoutKeys dropout(static_cast<uint64_t>(i));
        const training::BatchLoss loss = task.accumulate_gradients(dropout);
        optimizer.scale_and_clip(1.0 / loss.targets, 25.0);
        optimizer.step(1e-3);
      });
    };
    double seconds = 0.0;
    const std::clock_t clock = std::clock();
    const auto timed = [&] { seconds = place.seconds(update); };
    if (on_cpu) {
      timed();
    } else {
      measured.peak_bytes = std::max(measured.peak_bytes, place.peak_bytes(timed));
    }
    const std::clock_t used = std::clock() - clock;
    if (i < o.warmup) continue;
    const data::ParallelBatch& batch = drawn[static_cast<size_t>(i)];
    measured.processor_seconds += static_cast<double>(used) / CLOCKS_PER_SEC;
    measured.target_tokens += static_cast<double>(batch.target.size());
    measured.seconds.push_back(seconds);
    measured.host_seconds.push_back(enqueued);
    measured.speeds.push_back(static_cast<double>(batch.target.size()) / seconds);
  }
  if (on_cpu) measured.peak_bytes = static_cast<double>(peak_memory());
  if (on_cpu && !task_options.bf16) {
    for (size_t i = 0; i < measured.seconds.size(); ++i) {
      const data::ParallelBatch& batch = drawn[i + static_cast<size_t>(o.warmup)];
      const auto products = products_of(config, batch.source.size(), batch.target.size());
      measured.product_shares.push_back(time_products(products) / measured.seconds[i]);
    }
  }
  std::cout << measured.json(o, config.target_vocabulary) << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  OptionTable table("training_speed", "--source FILE --target FILE --tokenizer FILE",
                    "Measures training speed and the share of its matrix products.");
  table.add("source", &options.source, "FILE", "source text")
      .add("target", &options.target, "FILE", "target text")
      .add("tokenizer", &options.tokenizer, "FILE", "sentencepiece model for both")
      .add("preset", &options.preset, "NAME", "sizes of the model")
      .add("position", &options.position, "SPEC", "position encoding")
      .add("updates", &options.updates, "N", "updates that are timed", bench::kCount)
      .add("warmup", &options.warmup, "N", "updates before them", {.least = 0})
      .add("batch-tokens", &options.batch_tokens, "N", "target tokens of a batch",
           ranges::kBatchTokens)
      .add("dropout", &options.dropout, "P", "of residuals and embeddings", ranges::kDropout)
      .add("device", &options.device, "NAME", bench::kDeviceHelp)
      .add("precision", &options.precision, "", "of matrix products", bench::kPrecision)
      .add("graphs", &options.graphs, "",
           "replay passes, which are recorded before the warm-up, as graphs of the device")
      .add("checkpoint-activations", &options.checkpoint_activations, "",
           "recompute activations in the backward pass")
      .add("threads", &options.threads, "N", "threads", bench::kThreads)
      .add("write-batches", &options.batches_file, "FILE", "also write the batches as JSON lines");
  return bench::run_benchmark(table, argc, argv, [&] { run(options); });
}
