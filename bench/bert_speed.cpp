// Training speed of a BERT encoder: tokens per second over updates, of pre-training on text or of
// fine-tuning for a task with classes, in batches of 32. The batches can be written for
// bench/huggingface_trainer.py, which trains the same sizes on them.
//
//   bert_speed --train FILE... | --task NAME --data DIR  --tokenizer PATH [--preset mini]
//              [--updates 10] [--length 128] [--device cuda] [--graphs] [--write-batches FILE]
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "bench/benchmark.h"
#include "bench/place.h"
#include "bench/recorded_passes.h"
#include "bert/finetuning/task_data.h"
#include "bert/training/pretraining_task.h"
#include "encoders/device/device_graphs.h"
#include "training/optimization/optimizer.h"

namespace {

using namespace dietmt;

struct Options {
  std::vector<std::string> train;
  std::string task, data;
  std::string tokenizer, preset = "mini", position = "learned", examples = "full-sentences",
                         batches_file;
  std::string device = "cpu", precision = "fp32";
  int64_t updates = 10, warmup = 3, batch_tokens = 8192, length = 128, threads = 2;
  bool graphs = false;
};

using Ids = std::vector<int32_t>;

Ids part(const Ids& all, const data::PackedTokens& packed, size_t b) {
  return {all.begin() + packed.offsets[b], all.begin() + packed.offsets[b + 1]};
}

/// Each example's "ids" and "labels", with -100 where nothing is to be predicted.
nlohmann::json batch_json(const data::PretrainingBatch& batch) {
  Ids labels(batch.tokens.tokens.size(), -100);
  for (size_t m = 0; m < batch.masked_rows.size(); ++m)
    labels[static_cast<size_t>(batch.masked_rows[m])] = batch.masked_ids[m];
  nlohmann::json examples = nlohmann::json::array();
  for (size_t b = 0; b + 1 < batch.tokens.offsets.size(); ++b)
    examples.push_back({{"ids", part(batch.tokens.tokens, batch.tokens, b)},
                        {"labels", part(labels, batch.tokens, b)}});
  return examples;
}

/// Each example's "ids", "segments" and the one "label".
nlohmann::json batch_json(const bert::ExampleBatch& batch, const Ids& labels) {
  nlohmann::json examples = nlohmann::json::array();
  for (size_t b = 0; b < batch.examples.size(); ++b)
    examples.push_back({{"ids", part(batch.tokens.tokens, batch.tokens, b)},
                        {"segments", part(batch.segments, batch.tokens, b)},
                        {"label", labels[static_cast<size_t>(batch.examples[b])]}});
  return examples;
}

encoders::BertConfig model_config(const Options& o, const data::BertTokenizer& tokenizer) {
  encoders::BertConfig config = encoders::BertConfig::preset(o.preset);
  config.vocabulary = tokenizer.vocabulary_size();
  config.position = o.position;
  return config;
}

/// Tokens per second of each timed update.
std::vector<double> time_updates(const Options& o, const bench::Place& place,
                                 training::TrainingTask& task) {
  task.model().to(place.device());
  training::Optimizer optimizer(task.model(), {"adamw", 0.9, 0.999, 1e-6, 0.01});
  if (o.graphs) bench::record_passes(task, o.warmup + o.updates);
  std::vector<double> speeds;
  for (int64_t i = 0; i < o.warmup + o.updates; ++i) {
    training::BatchLoss loss;
    const double update = place.seconds([&] {
      optimizer.zero_gradients();
      encoders::DropoutKeys dropout(static_cast<uint64_t>(i));
      loss = task.accumulate_gradients(dropout);
      optimizer.scale_and_clip(1.0 / loss.targets, 1.0);
      optimizer.step(1e-4);
    });
    if (i >= o.warmup) speeds.push_back(static_cast<double>(loss.tokens) / update);
  }
  return speeds;
}

std::vector<double> pretrain(const Options& o, const bench::Place& place,
                             const data::BertTokenizer& tokenizer, std::ostream& batches_out) {
  const auto cache = std::filesystem::temp_directory_path() / "dietmt_bert_speed.cache";
  const data::TextCorpus corpus(o.train, tokenizer, {}, cache, o.threads);
  bert::PretrainingTaskOptions options;
  options.batches.examples = {.mode = data::parse_example_mode(o.examples), .length = o.length};
  options.batches.batch_tokens = o.batch_tokens;
  options.phases = {{o.length, 0}};
  options.bf16 = o.precision == "bf16";
  options.device = place.device();
  const std::span texts(&corpus, 1);
  data::PretrainingIterator batches(texts, options.batches);
  for (int64_t i = 0; i < o.warmup + o.updates; ++i)
    batches_out << batch_json(batches.next()) << '\n';
  encoders::BertConfig config = model_config(o, tokenizer);
  config.task_heads.masked_lm = true;
  bert::PretrainingTask task(std::make_shared<encoders::Bert>(config, 1), texts, corpus, options);
  return time_updates(o, place, task);
}

std::vector<double> finetune(const Options& o, const bench::Place& place,
                             const data::BertTokenizer& tokenizer, std::ostream& batches_out) {
  bert::TaskDescription description;
  description.task = data::find_task(o.task);
  description.max_length = o.length;
  const bert::LabelledData data =
      bert::read_labelled(description, bert::find_files(description.task, o.data, {}), tokenizer);
  bert::FinetuningOptions options;
  options.execution = {place.device(), o.precision == "bf16"};
  bert::ExampleBatches batches(data.train.inputs, options.batches);
  for (int64_t i = 0; i < o.warmup + o.updates; ++i)
    batches_out << batch_json(batches.next(), data.train.labels) << '\n';
  encoders::BertConfig config = model_config(o, tokenizer);
  config.task_heads = description.heads();
  bert::ClassificationTask task(std::make_shared<encoders::Bert>(config, 1), tokenizer, description,
                                data.train, data.valid, options);
  return time_updates(o, place, task);
}

void run(const Options& o) {
  if (o.train.empty() == o.task.empty()) throw ConfigError("--train or --task is needed");
  const bench::Place place(o.device);
  at::set_num_threads(static_cast<int>(o.threads));
  encoders::allow_graphs(o.graphs);
  const auto tokenizer = data::load_bert_tokenizer(o.tokenizer);
  std::ofstream batches(o.batches_file);
  const std::vector<double> speeds = o.task.empty() ? pretrain(o, place, *tokenizer, batches)
                                                    : finetune(o, place, *tokenizer, batches);
  const encoders::BertConfig config = model_config(o, *tokenizer);
  std::cout << nlohmann::json{{"layers", config.layers},
                              {"width", config.width},
                              {"feed_forward", config.feed_forward},
                              {"heads", config.heads},
                              {"vocabulary", config.vocabulary},
                              {"max_positions", config.max_positions},
                              {"pad", tokenizer->special().pad},
                              {"device", o.device},
                              {"precision", o.precision},
                              {"threads", o.threads},
                              {"tokens_per_second", bench::median(speeds)}}
            << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  OptionTable table("bert_speed", "--train FILE... | --task NAME --data DIR  --tokenizer PATH",
                    "Measures the speed of masked language modelling, or of fine-tuning.");
  table.add("train", &options.train, "FILE...", "text to pre-train on")
      .add("task", &options.task, "NAME", "or a task with classes to fine-tune for")
      .add("data", &options.data, "DIR", "with its files")
      .add("tokenizer", &options.tokenizer, "PATH", "vocab.txt or tokenizer.model")
      .add("preset", &options.preset, "NAME", "sizes of the model")
      .add("position", &options.position, "SPEC", "position encoding")
      .add("examples", &options.examples, "NAME", "full-sentences, document or sentence-pairs")
      .add("length", &options.length, "N", "tokens of an example", {.least = 3})
      .add("updates", &options.updates, "N", "updates that are timed", bench::kCount)
      .add("warmup", &options.warmup, "N", "updates before them", {.least = 0})
      .add("batch-tokens", &options.batch_tokens, "N", "tokens of a batch", ranges::kBatchTokens)
      .add("device", &options.device, "NAME", bench::kDeviceHelp)
      .add("precision", &options.precision, "", "of matrix products", bench::kPrecision)
      .add("threads", &options.threads, "N", "threads", bench::kThreads)
      .add("graphs", &options.graphs, "",
           "replay passes of pre-training, recorded before the warm-up, as graphs of the device")
      .add("write-batches", &options.batches_file, "FILE", "also write the batches as JSON lines");
  return bench::run_benchmark(table, argc, argv, [&] { run(options); });
}
