// Which options of `dietmt evaluate` go together.
#include <algorithm>
#include <set>

#include "common/files.h"
#include "metrics/bleu_tokenizer.h"
#include "tools/evaluate_options.h"
#include "tools/unused_options.h"

namespace dietmt::tools {
namespace {

constexpr const char* kOneStandardInput = "only one file can be - (standard input)";

// Options that --task goes with.
constexpr const char* kOfTasks[] = {"reference", "task", "predictions", "language",
                                    "null-odds", "json", "score-only",  "digits"};

std::vector<std::string> problems_of_task(const OptionTable& table, const EvaluateOptions& o) {
  std::vector<std::string> problems;
  std::set<std::string> others;
  for (const auto& [name, value] : table.resolved())
    if (table.changed(name) && std::ranges::find(kOfTasks, name) == std::end(kOfTasks))
      others.insert(name);
  for (const std::string& name : others)
    problems.push_back("--" + name + " is for translations: leave out --task");
  if (o.predictions.empty()) problems.emplace_back("--task needs --predictions FILE");
  if (o.references.size() != 1) problems.emplace_back("--task needs one --reference");
  if (o.predictions.size() > 1 && !o.null_odds.empty())
    problems.emplace_back("--null-odds is for one file of --predictions");
  std::vector<std::string> inputs = o.predictions;
  inputs.insert(inputs.end(), o.references.begin(), o.references.end());
  inputs.push_back(o.null_odds);
  if (std::ranges::count(inputs, "-") > 1) problems.emplace_back(kOneStandardInput);
  return problems;
}

std::vector<std::string> problems_of_metrics(const OptionTable& table, const EvaluateOptions& o) {
  std::vector<std::string> problems;
  std::set<std::string> chosen;
  for (const std::string& name : metric_names(o)) {
    if (learned_metric_named(name).empty() && std::ranges::count(metrics::kMetricNames, name) == 0)
      problems.push_back("--metric has '" + name +
                         "'; choose bleu, chrf, chrf++, ter, comet or metricx");
    chosen.insert(name == "chrf++" ? "chrf" : name);
  }
  const auto refuse = [&](const std::string& metric, std::initializer_list<const char*> options) {
    refuse_unused(table, options, "--metric " + metric, problems);
  };
  if (!chosen.contains("bleu"))
    refuse("bleu", {"smooth", "smooth-value", "max-order", "effective-order"});
  if (!splits_words(o))
    refuse("bleu or --report", {"tokenize", "subword-model", "mecab-dictionary"});
  if (!chosen.contains("chrf"))
    refuse("chrf", {"chrf-char-order", "chrf-word-order", "chrf-beta", "chrf-whitespace",
                    "chrf-eps-smoothing"});
  if (!chosen.contains("bleu") && !chosen.contains("chrf")) refuse("bleu or chrf", {"lowercase"});
  if (!chosen.contains("ter"))
    refuse("ter", {"ter-normalized", "ter-no-punct", "ter-asian-support", "ter-case-sensitive"});
  const bool is_learned = !learned_metric_of(o).empty();
  if (!is_learned) refuse("comet or metricx", {"comet-model", "device", "threads", "batch-tokens"});
  if (!chosen.contains("comet")) refuse("comet", {"comet-context"});
  if (!is_learned && o.report.empty())
    refuse_unused(table, {"source"}, "--metric comet or --report", problems);
  if (chosen.contains("comet") && chosen.contains("metricx"))
    problems.emplace_back("--metric has comet and metricx, but --comet-model names one model");
  return problems;
}

std::vector<std::string> problems_of_learned_metric(const EvaluateOptions& o) {
  std::vector<std::string> problems;
  for (const std::string& name : metric_names(o)) {
    if (learned_metric_named(name).empty()) continue;
    const std::string metric = "--metric " + name;
    if (o.comet_model.empty()) problems.push_back(metric + " needs --comet-model DIR");
    if (o.source.empty()) problems.push_back(metric + " needs --source FILE");
    if (o.references.size() > 1) problems.push_back(metric + " takes one --reference");
  }
  return problems;
}

std::vector<std::string> problems_of_report(const OptionTable& table, const EvaluateOptions& o) {
  std::vector<std::string> problems;
  const auto require = [&](bool holds, const std::string& problem) {
    if (!holds) problems.push_back(problem);
  };
  if (o.report.empty()) {
    refuse_unused(table, {"training"}, "--report", problems);
    return problems;
  }
  require(o.report.ends_with(".html"), "--report is " + o.report + "; it must end in .html");
  require(!o.references.empty(), "--report needs --reference FILE...");
  require(!o.evaluation.sentence_level && !o.document_level,
          "--report has intervals: leave out --sentence-level and --document-level");
  std::vector<std::string> inputs = {o.source, o.origins, o.documents};
  for (const auto* files : {&o.references, &o.hypotheses, &o.training})
    inputs.insert(inputs.end(), files->begin(), files->end());
  for (const std::string& file : inputs)
    require(file.empty() || file == "-" || !is_same_file(file, o.report),
            "--report and an input are one file: " + file);
  return problems;
}

}  // namespace

std::vector<std::string> evaluate_problems(const OptionTable& table, const EvaluateOptions& o) {
  std::vector<std::string> problems;
  const auto require = [&](bool holds, const char* problem) {
    if (!holds) problems.emplace_back(problem);
  };
  const metrics::EvaluationOptions& e = o.evaluation;
  require(!o.json || !o.score_only, "--json and --score-only cannot be combined");
  if (!o.task.empty()) {
    for (const std::string& problem : problems_of_task(table, o)) problems.push_back(problem);
    return problems;
  }
  require(o.predictions.empty(), "--predictions needs --task");
  require(o.language.empty() || splits_words(o),
          "--language needs --metric bleu or --report, whose tokenizer it chooses, or --task");
  require(o.language.empty() || !table.given("tokenize"),
          "--tokenize and --language both choose a tokenizer: leave out one of them");
  require(o.null_odds.empty(), "--null-odds needs --task");
  require(!o.hypotheses.empty(), "--hypothesis is missing: give --hypothesis FILE...");
  const bool only_learned = !learned_metric_named(o.metrics).empty();
  require(!o.references.empty() || only_learned,
          "--reference is missing: give --reference FILE...");
  for (const std::string& problem : problems_of_metrics(table, o)) problems.push_back(problem);
  for (const std::string& problem : problems_of_learned_metric(o)) problems.push_back(problem);
  for (const std::string& problem : problems_of_report(table, o)) problems.push_back(problem);
  std::vector<std::string> inputs = o.references;
  inputs.insert(inputs.end(), o.hypotheses.begin(), o.hypotheses.end());
  inputs.insert(inputs.end(), o.training.begin(), o.training.end());
  inputs.insert(inputs.end(), {o.source, o.origins, o.documents});
  require(std::count(inputs.begin(), inputs.end(), "-") <= 1, kOneStandardInput);
  require(e.paired == "none" || o.hypotheses.size() > 1,
          "--paired compares systems: give two --hypothesis files or more");
  const bool has_report = !o.report.empty();  // which has intervals and p-values
  require(!table.changed("paired-samples") || e.paired != "none" || has_report,
          "--paired-samples needs --paired");
  require(!table.changed("confidence-samples") || has_report ||
              (e.confidence && e.paired != "bootstrap"),
          "--confidence-samples needs --confidence; with --paired bootstrap, --paired-samples "
          "counts");
  require(!table.changed("seed") || e.confidence || e.paired != "none" || has_report,
          "--seed needs --confidence or --paired");
  const bool in_parts = e.sentence_level || o.document_level;
  require(!in_parts || (!e.confidence && e.paired == "none"),
          "--sentence-level and --document-level exclude --confidence and --paired");
  require(!e.sentence_level || !o.document_level,
          "--sentence-level and --document-level cannot be combined");
  require(
      !o.score_only || (!e.confidence && e.paired == "none"),
      "--score-only prints neither intervals nor p-values: leave out --confidence and --paired");
  require(!in_parts || !o.score_only,
          "--sentence-level and --document-level print only scores: leave out --score-only");
  require(o.origins.empty() == o.origin.empty() || (o.origin.empty() && !o.report.empty()),
          "give --origins and --origlang together");
  require(!o.documents.empty() || (o.subset.empty() && !o.document_level && o.comet_context == 0),
          "--subset, --document-level and --comet-context need --documents");
  require(o.documents.empty() || !o.subset.empty() || o.document_level || o.comet_context > 0,
          "--documents needs --subset, --document-level or --comet-context");
  require(has_subwords(o.tokenize) == !o.subword_model.empty(),
          "give --subword-model with --tokenize spm, flores101, flores200 or spBLEU-1K, and only "
          "with them");
  require(!o.smooth_value || o.smooth == "floor" || o.smooth == "add-k",
          "--smooth-value needs --smooth floor or add-k");
  require(o.chrf.word_order == EvaluateOptions().chrf.word_order ||
              std::ranges::count(metric_names(o), "chrf++") == 0,
          "--chrf-word-order is for --metric chrf; chrf++ has 2");
  require(o.mecab_dictionary.empty() || metrics::is_mecab_tokenizer(o.tokenize),
          "--mecab-dictionary needs --tokenize ja-mecab or ko-mecab");
  return problems;
}

}  // namespace dietmt::tools
