// Pre-training speed of a BERT encoder: tokens per second over updates of real text. The batches
// can be written for bench/huggingface_trainer.py, which trains the same sizes on them.
//
//   bert_speed --train FILE... --tokenizer PATH [--preset mini] [--updates 10] [--length 128]
//              [--write-batches FILE]
#include <torch/torch.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "bench/benchmark.h"
#include "bert/training/pretraining_task.h"
#include "training/optimizer.h"

namespace {

using namespace dietmt;
using Clock = std::chrono::steady_clock;

struct Options {
  std::vector<std::string> train;
  std::string tokenizer, preset = "mini", position = "learned", examples = "full-sentences",
                         batches_file;
  int64_t updates = 10, warmup = 3, batch_tokens = 8192, length = 128, threads = 2;
};

double seconds(const std::function<void()>& work) {
  const Clock::time_point start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// One object: each example's "ids" and "labels", with -100 where nothing is to be predicted.
nlohmann::json batch_json(const data::PretrainingBatch& batch) {
  std::vector<int32_t> labels(batch.tokens.tokens.size(), -100);
  for (size_t m = 0; m < batch.masked_rows.size(); ++m)
    labels[static_cast<size_t>(batch.masked_rows[m])] = batch.masked_ids[m];
  nlohmann::json examples = nlohmann::json::array();
  for (size_t b = 0; b + 1 < batch.tokens.offsets.size(); ++b) {
    const auto part = [&](const std::vector<int32_t>& all) {
      return std::vector<int32_t>(all.begin() + batch.tokens.offsets[b],
                                  all.begin() + batch.tokens.offsets[b + 1]);
    };
    examples.push_back({{"ids", part(batch.tokens.tokens)}, {"labels", part(labels)}});
  }
  return examples;
}

void write_batches(const data::TextCorpus& corpus, const data::PretrainingOptions& options,
                   int64_t count, const std::string& file) {
  data::PretrainingIterator batches(corpus, options);
  std::ofstream out(file);
  for (int64_t i = 0; i < count; ++i) out << batch_json(batches.next()) << '\n';
}

void run(const Options& o) {
  at::set_num_threads(static_cast<int>(o.threads));
  const auto tokenizer = data::load_bert_tokenizer(o.tokenizer);
  const auto cache = std::filesystem::temp_directory_path() / "dietmt_bert_speed.cache";
  const data::TextCorpus corpus(o.train, *tokenizer, {}, cache, o.threads);
  bert::PretrainingTaskOptions options;
  options.batches.examples = {.mode = data::parse_example_mode(o.examples), .length = o.length};
  options.batches.batch_tokens = o.batch_tokens;
  options.phases = {{o.length, 0}};
  if (!o.batches_file.empty())
    write_batches(corpus, options.batches, o.warmup + o.updates, o.batches_file);

  encoders::BertConfig config = encoders::BertConfig::preset(o.preset);
  config.vocabulary = tokenizer->vocabulary_size();
  config.position = o.position;
  config.task_heads.masked_lm = true;
  const auto model = std::make_shared<encoders::Bert>(config, 1);
  bert::PretrainingTask task(model, corpus, corpus, options);
  training::Optimizer optimizer(*model, {"adamw", 0.9, 0.999, 1e-6, 0.01});
  std::vector<double> speeds;
  for (int64_t i = 0; i < o.warmup + o.updates; ++i) {
    training::BatchLoss loss;
    const double update = seconds([&] {
      optimizer.zero_gradients();
      encoders::DropoutKeys dropout(static_cast<uint64_t>(i));
      loss = task.accumulate_gradients(dropout);
      optimizer.scale_and_clip(1.0 / static_cast<double>(loss.targets), 1.0);
      optimizer.step(1e-4);
    });
    if (i >= o.warmup) speeds.push_back(static_cast<double>(loss.tokens) / update);
  }
  std::cout << nlohmann::json{{"layers", config.layers},
                              {"width", config.width},
                              {"feed_forward", config.feed_forward},
                              {"heads", config.heads},
                              {"vocabulary", config.vocabulary},
                              {"max_positions", config.max_positions},
                              {"pad", tokenizer->special().pad},
                              {"threads", o.threads},
                              {"tokens_per_second", bench::median(speeds)}}
            << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  OptionTable table("bert_speed", "--train FILE... --tokenizer PATH",
                    "Measures the speed of masked language modelling.");
  table.add("train", &options.train, "FILE...", "text")
      .add("tokenizer", &options.tokenizer, "PATH", "vocab.txt or tokenizer.model")
      .add("preset", &options.preset, "NAME", "sizes of the model")
      .add("position", &options.position, "SPEC", "position encoding")
      .add("examples", &options.examples, "NAME", "full-sentences, document or sentence-pairs")
      .add("length", &options.length, "N", "tokens of an example")
      .add("updates", &options.updates, "N", "updates that are timed")
      .add("warmup", &options.warmup, "N", "updates before them")
      .add("batch-tokens", &options.batch_tokens, "N", "tokens of a batch")
      .add("threads", &options.threads, "N", "threads")
      .add("write-batches", &options.batches_file, "FILE", "also write the batches as JSON lines");
  return bench::run_benchmark(table, argc, argv, [&] { run(options); });
}
