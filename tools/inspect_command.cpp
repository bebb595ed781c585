// dietmt inspect: a model's parameters, configuration, positions and attention, and training runs.
#include <iostream>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/options.h"
#include "encoders/position/scheme/position_spec.h"
#include "inspection/parameter_table.h"
#include "inspection/position_report.h"
#include "inspection/sentence_analysis.h"
#include "nmt/network/model_directory.h"
#include "nmt/network/model_size.h"
#include "reporting/comparison.h"
#include "tools/command_list.h"
#include "tools/commands.h"
#include "tools/decoding_options.h"
#include "tools/model_options.h"
#include "tools/output_problems.h"
#include "tools/report_output.h"
#include "tools/unused_options.h"

namespace dietmt::tools {
namespace {

constexpr const char* kModelHelp =
    "model directory, or output directory of train (its best checkpoint)";

// Options of a new model, given together with --model.
std::vector<std::string> unused_options(const OptionTable& table) {
  std::vector<std::string> problems;
  for (const auto& [name, value] : table.resolved())
    if (name != "model" && table.given(name))
      problems.push_back("--" + name + " is for a new model: leave out --model");
  return problems;
}

int inspect_params(const std::vector<std::string>& arguments) {
  std::string directory;
  int64_t vocabulary = 8000;
  ModelOptions o;
  OptionTable table("inspect params", "[[--model] DIR | --preset NAME --position SPEC ...]",
                    "Counts the parameters of a model, or of a new model with these options, by "
                    "component. 'positions' is the sum over all position encodings.");
  table.add("model", &directory, "DIR", kModelHelp)
      .add("vocab-size", &vocabulary, "N", "vocabulary size of each language", ranges::kVocabulary);
  bind_model_options(table, o);
  table
      .basics({"model", "vocab-size", "preset", "position", "decoder-position", "encoder-layers",
               "decoder-layers", "width", "feed-forward", "heads", "tied-embeddings"})
      .positional("model")
      .example("dietmt inspect params model")
      .example("dietmt inspect params --preset base --position diet-rel --vocab-size 32000");
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  if (!directory.empty()) {
    table.check(unused_options(table));
    const nmt::ModelFiles files = nmt::open_model(directory);
    throw_if_any<CheckpointError>(
        nmt::position_problems(files.config, (files.directory / nmt::kConfigFile).string()));
    std::cout << inspection::parameter_table(nmt::parameter_counts(files.config));
    return 0;
  }
  apply_preset(table, o);
  if (print_position_help(o)) return 0;
  o.model.source_vocabulary = o.model.target_vocabulary = vocabulary;
  table.check(model_problems(o.model));
  std::cout << inspection::parameter_table(nmt::parameter_counts(o.model));
  return 0;
}

int inspect_model(const std::vector<std::string>& arguments) {
  std::string directory;
  OptionTable table("inspect model", "[--model] DIR",
                    "Prints the configuration of a model as JSON.");
  table.add("model", &directory, "DIR", kModelHelp, {.required = true});
  table.positional("model").example("dietmt inspect model model");
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  table.check();
  const nmt::ModelFiles files = nmt::open_model(directory);
  nlohmann::json description = files.config.to_json();
  if (!files.quantization.empty()) description["quantization"] = files.quantization;
  std::cout << description.dump(1) << '\n';
  return 0;
}

int inspect_attention(const std::vector<std::string>& arguments) {
  std::string model, text, translation;
  nmt::LanguageChoice languages;
  OptionTable table("inspect attention", "[--model] DIR --text SENTENCE",
                    "Prints, as JSON, the attention of all layers and heads in a sentence and its "
                    "translation, and the position terms of the scores. A server's /v1/analyze "
                    "answers the same.");
  table.add("model", &model, "DIR", kModelHelp, {.required = true})
      .add("text", &text, "SENTENCE", "source sentence", {.required = true})
      .add("translation", &translation, "SENTENCE", "its translation; default: the model's own");
  bind_languages(table, languages);
  table.positional("model").example("dietmt inspect attention model --text 'Good morning.'");
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  table.check();
  reporting::SentenceAnalysis analysis =
      inspection::analyse_sentence(nmt::load_model(model), text, translation, languages);
  analysis.model = model;
  std::cout << reporting::to_json(analysis) << '\n';
  return 0;
}

struct RunOptions {
  std::vector<std::string> runs;
  std::string output;
  std::string axis = reporting::kUpdateAxis;
};

int inspect_runs(const std::vector<std::string>& arguments) {
  RunOptions o;
  OptionTable table("inspect runs", "[--runs] DIR...",
                    "Compares training runs: prints a table of their best scores on validation. "
                    "--output writes a page with it, a chart for each quantity with a curve for "
                    "each run, and the settings in which the runs differ.");
  table
      .add("runs", &o.runs, "DIR...", "output directories of train, bert pretrain or bert finetune",
           {.required = true})
      .add("output", &o.output, "FILE.html", "write a page instead of the table")
      .add("axis", &o.axis, "", "what the charts are drawn over; entries without it are left out",
           {.choices = {reporting::kUpdateAxis, "epoch", "seconds"}});
  table.positional("runs").example(
      "dietmt inspect runs runs/diet-rel runs/shaw --output runs.html");
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  table.check(file_output_problems(o.output, {}));
  const std::vector<std::filesystem::path> runs(o.runs.begin(), o.runs.end());
  if (o.output.empty())
    std::cout << reporting::comparison_table(runs);
  else
    write_page(o.output, reporting::comparison_page(runs, o.axis));
  return 0;
}

struct PositionOptions {
  bool list = false;
  std::string model;
  std::string checkpoints;
  std::string output;
  bool json = false;
  inspection::PositionReportOptions report;
};

OptionTable option_table(PositionOptions& o) {
  OptionTable table("inspect positions", "--list | [--model] DIR | --checkpoints RUN",
                    "Lists the encodings for --position, or reports what a model's encodings do: "
                    "the position terms of the scores, their rank, the similarity of the offsets' "
                    "vectors, and the first layer's attention in sentences that repeat one word. "
                    "Prints tables; --output writes heat maps.");
  table.add("list", &o.list, "", "print the table of encodings")
      .add("model", &o.model, "DIR",
           "model directory, or output directory of train or bert pretrain")
      .add("checkpoints", &o.checkpoints, "RUN",
           "report every checkpoint of this output directory of train or bert pretrain")
      .add("output", &o.output, "FILE.html", "write a page of heat maps instead of tables")
      .add("json", &o.json, "", "print everything as JSON instead of tables")
      .add("length", &o.report.length, "N", "number of positions", {.least = 2, .most = 1024})
      .add("words", &o.report.words, "N", "number of random words that sentences repeat",
           {.least = 1, .most = 1'000'000})
      .add("seed", &o.report.seed, "N", "random seed of the words", ranges::kSeed);
  table.positional("model").example("dietmt inspect positions model --output positions.html");
  return table;
}

std::vector<std::string> problems_of(const OptionTable& table, const PositionOptions& o) {
  std::vector<std::string> problems = file_output_problems(o.output, {});
  const int actions = static_cast<int>(o.list) + static_cast<int>(!o.model.empty()) +
                      static_cast<int>(!o.checkpoints.empty());
  if (actions == 0) problems.emplace_back("--list, --model or --checkpoints is missing");
  if (actions > 1) problems.emplace_back("give only one of --list, --model and --checkpoints");
  if (o.model.empty() && o.checkpoints.empty())
    refuse_unused(table, {"output", "json", "length", "words", "seed"}, "--model", problems);
  return problems;
}

int inspect_positions(const std::vector<std::string>& arguments) {
  PositionOptions o;
  OptionTable table = option_table(o);
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  table.check(problems_of(table, o));
  if (o.list) {
    std::cout << encoders::position_help({});
    return 0;
  }
  if (!o.checkpoints.empty()) {
    const auto reports = inspection::checkpoint_reports(o.checkpoints, o.report);
    show_report(
        o.output, o.json, [&] { return inspection::checkpoints_page(o.checkpoints, reports); },
        [&] { return inspection::checkpoints_json(reports); },
        [&] { return inspection::checkpoints_text(reports); });
    return 0;
  }
  const inspection::PositionReport report = inspection::position_report(o.model, o.report);
  show_report(
      o.output, o.json, [&] { return inspection::position_page(report); },
      [&] { return inspection::position_json(report); },
      [&] { return inspection::position_text(report); });
  return 0;
}

}  // namespace

int run_inspect(const std::vector<std::string>& arguments) {
  const CommandList list{
      "dietmt inspect",
      "Shows what is in a model or a training run.",
      {{"params", "count the parameters of a model by component", inspect_params},
       {"model", "print the configuration of a model", inspect_model},
       {"positions", "list the position encodings, or report what a model's encodings do",
        inspect_positions},
       {"attention", "print the attention in a sentence and its translation", inspect_attention},
       {"runs", "compare the curves, scores and settings of training runs", inspect_runs},
       {"compare", "compare the positions, scores and cost of models with significance tests",
        run_inspect_compare},
       {"correlate", "correlate indicators of positions with scores of tasks over models",
        run_inspect_correlate}},
      "dietmt inspect params --model model"};
  return list.run(arguments);
}

}  // namespace dietmt::tools
