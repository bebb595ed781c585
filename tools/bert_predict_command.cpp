// dietmt bert predict: what a fine-tuned encoder says to a file of its task.
#include <cstdio>
#include <iostream>
#include <optional>

#include "bert/finetuning/prediction.h"
#include "common/error.h"
#include "common/options.h"
#include "encoders/attention/attention.h"
#include "encoders/device/device.h"
#include "tools/commands.h"

namespace dietmt::tools {
namespace {

struct PredictOptions {
  std::string model, input, output, language;
  std::optional<int64_t> max_answer, nbest;
  std::optional<double> null_threshold;
  std::string device = "cpu";
  std::string precision = "fp32";
  std::string attention_backend = "auto";
  int64_t threads = 0;
};

void bind(OptionTable& table, PredictOptions& o) {
  table.group("Data")
      .add("model", &o.model, "DIR", "the output of dietmt bert finetune, or a model from there")
      .add("input", &o.input, "FILE", "in a form of the task's files, with labels or without")
      .add("output", &o.output, "FILE|DIR",
           "index and prediction in a tab-separated file; of questions a directory for "
           "predictions.json, nbest_predictions.json and null_odds.json")
      .add("language", &o.language, "NAME", "to read, where the file has several; MLQA: of it");
  table.group("Questions")
      .add("null-threshold", &o.null_threshold, "X", "instead of that of fine-tuning")
      .add("max-answer", &o.max_answer, "N", "tokens of the longest answer, likewise")
      .add("nbest", &o.nbest, "N", "alternatives listed for a question");
  table.group("Machine")
      .add("device", &o.device, "cpu|cuda[:I]", "where to run")
      .add("precision", &o.precision, "fp32|bf16", "of matrix products")
      .add("attention-backend", &o.attention_backend, "NAME", "auto, cpu, cuda, sdpa or reference")
      .add("threads", &o.threads, "N", "0: as many as the machine has cores");
}

void validate(const PredictOptions& o) {
  std::vector<std::string> problems;
  const auto require = [&](bool good, const std::string& message) {
    if (!good) problems.push_back(message);
  };
  require(!o.model.empty(), "--model is missing");
  require(!o.input.empty(), "--input is missing");
  require(!o.output.empty(), "--output is missing");
  require(o.threads >= 0, "--threads must not be negative");
  require(o.precision == "fp32" || o.precision == "bf16",
          "--precision is '" + o.precision + "'; possible: fp32, bf16");
  throw_if_any(problems);
}

void apply(const PredictOptions& o, data::PredictionOptions& prediction) {
  prediction.null_threshold = o.null_threshold.value_or(prediction.null_threshold);
  prediction.max_answer_pieces = o.max_answer.value_or(prediction.max_answer_pieces);
  prediction.nbest = o.nbest.value_or(prediction.nbest);
  throw_if_any(prediction.problems());
}

int run(const PredictOptions& o) {
  const bert::Execution execution{encoders::parse_device(o.device), o.precision == "bf16"};
  encoders::set_threads(o.threads);
  bert::FinetunedModel finetuned = bert::load_finetuned(o.model, execution.device);
  finetuned.model->set_attention_backend(encoders::parse_backend(o.attention_backend));
  apply(o, finetuned.description.prediction);
  const std::optional<bert::Scores> scores =
      bert::predict(finetuned, {o.input, o.output, o.language}, execution);
  if (!scores) return 0;
  for (const auto& [name, score] : *scores) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f", score);
    std::cout << name << '\t' << text << '\n';
  }
  return 0;
}

}  // namespace

int run_bert_predict(const std::vector<std::string>& arguments) {
  PredictOptions options;
  OptionTable table("bert predict", "--model DIR --input FILE --output FILE|DIR",
                    "Writes the predictions of a fine-tuned encoder in the form of the benchmarks' "
                    "submissions, and\nprints the task's metrics (in percent) where the input has "
                    "labels.");
  bind(table, options);
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  validate(options);
  return run(options);
}

}  // namespace dietmt::tools
