// dietmt inspect compare and correlate: what several models' positions do, and how they score.
#include <nlohmann/json.hpp>

#include "common/options.h"
#include "inspection/correlation.h"
#include "inspection/model_comparison.h"
#include "inspection/text_table.h"
#include "tools/commands.h"
#include "tools/output_problems.h"
#include "tools/report_output.h"
#include "tools/unused_options.h"

namespace dietmt::tools {
namespace {

struct ComparedModels {
  std::vector<std::string> models;
  std::string output;
  bool json = false;
  inspection::PositionReportOptions positions = {.length = 128, .words = 300};
};

void bind_models(OptionTable& table, ComparedModels& o, bool required) {
  table
      .add("models", &o.models, "DIR[,DIR...]...",
           "output directories of bert pretrain, bert finetune or train, or model directories; "
           "commas join the runs of one model",
           {.required = required})
      .add("output", &o.output, "FILE.html", "write a page instead of tables")
      .add("json", &o.json, "", "print JSON instead of tables")
      .add("length", &o.positions.length, "N", "number of positions of the indicators",
           {.least = 2, .most = 1024})
      .add("words", &o.positions.words, "N", "number of random words that sentences repeat",
           {.least = 1, .most = 1'000'000})
      .add("seed", &o.positions.seed, "N", "random seed of the words", ranges::kSeed);
  table.positional("models");
}

// Names of models need not be UTF-8.
std::string line_of(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// The names between commas, in one word or several.
std::vector<std::string> names_in(const std::vector<std::string>& words) {
  std::vector<std::string> names;
  for (const std::string& word : words)
    for (const std::string& name : inspection::split_text(word, ','))
      if (!name.empty()) names.push_back(name);
  return names;
}

}  // namespace

int run_inspect_compare(const std::vector<std::string>& arguments) {
  ComparedModels o;
  OptionTable table(
      "inspect compare", "[--models] DIR[,DIR...]...",
      "Compares models: the indicators of their positions (as inspect positions, means over the "
      "heads), the scores of the tasks that bert finetune trained, with mean, standard deviation "
      "and the p-value of a two-sided Welch's t-test against the first model, and parameters, "
      "updates and time. Scores are those of the seeds of fine-tuning; of a model that is several "
      "runs, the mean of each run. --output writes a page that also has curves over each other.");
  bind_models(table, o, true);
  table.example("dietmt inspect compare runs/learned runs/diet-rel --output encodings.html")
      .example("dietmt inspect compare learned-1,learned-2 diet-rel-1,diet-rel-2");
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  table.check(file_output_problems(o.output, {}));
  const auto models = inspection::read_models(o.models, o.positions);
  show_report(
      o.output, o.json, [&] { return inspection::comparison_page(models); },
      [&] { return line_of(inspection::comparison_json(models)); },
      [&] { return inspection::comparison_text(models); });
  return 0;
}

int run_inspect_correlate(const std::vector<std::string>& arguments) {
  ComparedModels o;
  std::string values;
  std::vector<std::string> indicators;
  OptionTable table(
      "inspect correlate", "[--models] DIR[,DIR...]... | --table FILE.tsv --indicators NAME,...",
      "Correlates indicators of positions with the scores of tasks over models, as in table 5 and "
      "figure 5 of Wang et al. 2021: Pearson's r and Spearman's rho with two-sided p-values. "
      "--output writes a page that also has Pearson's r by the number of nearest offsets.");
  bind_models(table, o, false);
  table
      .add("table", &values, "FILE.tsv",
           "tab-separated values instead of models: a header, then the name and the numbers of a "
           "model in each line")
      .add("indicators", &indicators, "NAME,...",
           "columns of --table that are indicators; the others are scores")
      .example("dietmt inspect correlate runs/learned runs/t5 runs/shaw runs/diet-rel")
      .example("dietmt inspect correlate --table wang.tsv --indicators AIV,OPR");
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  std::vector<std::string> problems = file_output_problems(o.output, {{"table", values}});
  if (values.empty() == o.models.empty()) problems.emplace_back("give --models or --table");
  if (values.empty()) refuse_unused(table, {"indicators"}, "--table", problems);
  if (o.models.empty()) refuse_unused(table, {"length", "words", "seed"}, "--models", problems);
  table.check(problems);
  const inspection::CorrelationData data =
      values.empty() ? inspection::correlation_data(inspection::read_models(o.models, o.positions))
                     : inspection::read_correlation_data(values, names_in(indicators));
  show_report(
      o.output, o.json, [&] { return inspection::correlation_page(data); },
      [&] { return line_of(inspection::correlation_json(data)); },
      [&] { return inspection::correlation_text(inspection::correlations(data)); });
  return 0;
}

}  // namespace dietmt::tools
