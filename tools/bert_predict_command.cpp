// dietmt bert predict: predictions of a fine-tuned encoder.
#include <cstdio>
#include <iostream>
#include <optional>

#include "bert/prediction/prediction.h"
#include "common/error.h"
#include "common/options.h"
#include "encoders/attention/attention.h"
#include "encoders/device/device.h"
#include "tools/commands.h"
#include "tools/model_options.h"
#include "tools/output_problems.h"

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

OptionTable option_table(PredictOptions& o) {
  OptionTable table("bert predict", "--model DIR [--input] FILE --output FILE|DIR",
                    "Writes the predictions of a fine-tuned encoder in the form of the benchmarks' "
                    "submissions, and\nprints the task's metrics in percent if the input has "
                    "labels.");
  table.group("Data")
      .add("model", &o.model, "DIR", "output directory of 'dietmt bert finetune', or a model in it",
           {.required = true})
      .add("input", &o.input, "FILE", "file of the task, with or without labels",
           {.required = true})
      .add("output", &o.output, "FILE|DIR",
           "tab-separated file of index and prediction, compressed if its name ends in .gz; for "
           "tags a tag a line, with an empty line between sentences; for questions a directory for "
           "predictions.json, nbest_predictions.json and null_odds.json",
           {.required = true})
      .add("language", &o.language, "NAME",
           "language to read from a file with several; MLQA: the language of the file");
  table.group("Questions")
      .add("null-threshold", &o.null_threshold, "X",
           "predict no answer if it scores better by more than X; default: as in fine-tuning")
      .add("max-answer", &o.max_answer, "N", "longest answer in tokens; default: as in fine-tuning",
           {.least = 1, .most = 10'000})
      .add("nbest", &o.nbest, "N", "alternatives to list for each question",
           {.least = 1, .most = 10'000});
  table.group("Machine").add("device", &o.device, "cpu|cuda[:I]", "device to run on");
  add_precision(table, o.precision);
  add_attention_backend(table, o.attention_backend);
  table.add("threads", &o.threads, "N", "threads; 0: one per core", ranges::kThreads);
  table.positional("input").example(
      "dietmt bert predict --model rte --input test.tsv --output RTE.tsv");
  return table;
}

std::vector<std::string> problems_of(const PredictOptions& o, const bert::TaskDescription& task) {
  std::vector<std::string> problems;
  const bool answers = task.kind() == data::TaskKind::kSpan;
  const std::string others = ", which " + o.model + " does not predict";
  if (!answers && o.max_answer)
    problems.push_back("--max-answer needs a model that answers questions" + others);
  if (!answers && o.nbest)
    problems.push_back("--nbest needs a model that answers questions" + others);
  if (o.null_threshold && !(answers && task.task.has_unanswerable))
    problems.push_back("--null-threshold needs a model for questions that may have no answer" +
                       others);
  if (!o.language.empty() && !task.task.reads_language())
    problems.push_back("--language: the files of " + task.task.name + " have one language");
  return problems;
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
  throw_if_any(problems_of(o, finetuned.description));
  apply(o, finetuned.description.prediction);
  const std::optional<data::Scores> scores =
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
  OptionTable table = option_table(options);
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  table.check(file_output_problems(options.output, {{"--input", options.input}}));
  return run(options);
}

}  // namespace dietmt::tools
