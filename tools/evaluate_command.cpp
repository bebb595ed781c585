// dietmt evaluate: scores translations against references, and predictions for tasks.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "common/error.h"
#include "common/files.h"
#include "common/options.h"
#include "data/text/language_codes.h"
#include "data/text/tokenizer.h"
#include "metrics/segment_mean.h"
#include "metrics/unspaced_scripts.h"
#include "tools/commands.h"
#include "tools/evaluate_options.h"
#include "tools/learned_metric.h"

namespace dietmt::tools {
namespace {

using metrics::Metric;
using metrics::MetricResults;
using Lines = std::vector<std::string>;

metrics::MetricOptions metric_options(const EvaluateOptions& o) {
  metrics::MetricOptions options = o;
  options.effective_order = o.effective_order || o.evaluation.sentence_level;
  if (!has_subwords(o.tokenize)) return options;
  const std::string name =
      o.tokenize == "spm" ? fmt::format("spm-{:08x}", file_crc32(o.subword_model)) : o.tokenize;
  options.given_tokenizer = {name, data::piece_splitter(o.subword_model)};
  return options;
}

// In the order of --metric; null for a learned metric.
std::vector<std::shared_ptr<const Metric>> make_metrics(const EvaluateOptions& o) {
  const metrics::MetricOptions options = metric_options(o);
  std::vector<std::shared_ptr<const Metric>> all;
  for (const std::string& name : metric_names(o))
    all.push_back(learned_metric_named(name).empty() ? metrics::make_metric(name, options)
                                                     : nullptr);
  if (all.empty()) throw ConfigError("--metric is empty");
  return all;
}

LearnedMetric load_learned_metric(const EvaluateOptions& o,
                                  const std::vector<std::string>& arguments) {
  LearnedMetric learned =
      learned_metric({.directory = o.comet_model,
                      .device = o.device,
                      .threads = o.threads,
                      .batch_tokens = o.batch_tokens,
                      .without_references = o.references.empty() ? "give --reference FILE" : ""},
                     "evaluate", arguments);
  if (learned.metric != learned_metric_of(o))
    throw ConfigError(fmt::format("--metric asks for {}, but --comet-model {} is a {} model",
                                  learned_metric_of(o), o.comet_model, learned.metric));
  return learned;
}

MetricResults learned_results(const LearnedMetric& learned, const EvaluateOptions& o,
                              const Corpora& corpora, size_t& references) {
  std::optional<Lines> read;
  if (learned.reads_reference && !corpora.references.empty()) read = corpora.references[0];
  references = read ? 1 : 0;
  const metrics::DocumentContext context{static_cast<size_t>(o.comet_context), corpora.documents};
  const std::string name =
      learned.name + (o.comet_context > 0 ? "|context:" + std::to_string(o.comet_context) : "");
  MetricResults results{std::make_shared<metrics::SegmentMean>(learned.metric, name)};
  for (const std::vector<double>& system :
       learned.scores(corpora.sources, read, corpora.hypotheses, context))
    results.statistics.push_back(metrics::SegmentMean::statistics(system));
  return results;
}

MetricResults results_without_scores(std::shared_ptr<const Metric> metric, const Corpora& corpora) {
  MetricResults results{metric};
  for (const Lines& hypothesis : corpora.hypotheses)
    results.statistics.push_back(metric->corpus_statistics(hypothesis, corpora.references));
  return results;
}

// COMET if it is among the metrics; otherwise chrF, which is steadier than BLEU on one sentence.
MetricResults by_sentence(const EvaluateOptions& o, const Corpora& corpora,
                          const TranslationScores& scores) {
  for (const MetricResults& results : scores.by_metric)
    if (results.rule->name() == kComet) return results;
  return results_without_scores(metrics::make_metric("chrf", metric_options(o)), corpora);
}

// The page shows what these options compute.
void add_options_of_report(EvaluateOptions& o) {
  if (o.report.empty()) return;
  o.evaluation.confidence = true;
  if (o.hypotheses.size() > 1 && o.evaluation.paired == "none") o.evaluation.paired = "bootstrap";
}

void warn_if_tokenized(const EvaluateOptions& o, const Corpora& corpora) {
  if (o.tokenize == "none" || std::ranges::count(metric_names(o), "bleu") == 0) return;
  for (size_t h = 0; h < corpora.hypotheses.size(); ++h) {
    const Lines& lines = corpora.hypotheses[h];
    const auto count = std::count_if(lines.begin(), lines.end(),
                                     [](const std::string& line) { return line.ends_with(" ."); });
    if (count >= 100)
      spdlog::warn("{}: {} lines end with ' .': BLEU expects text that is not tokenized",
                   o.hypotheses[h], count);
  }
}

void warn_if_unspaced(const EvaluateOptions& o, const Corpora& corpora) {
  if (!splits_words(o)) return;
  for (size_t r = 0; r < corpora.references.size(); ++r) {
    const std::string problem = metrics::tokenizer_problem(o.tokenize, corpora.references[r]);
    if (!problem.empty()) return spdlog::warn("{}: {}", o.references[r], problem);
  }
}

}  // namespace

int run_evaluate(const std::vector<std::string>& arguments) {
  EvaluateOptions options;
  OptionTable table = evaluate_table(options);
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  table.check(evaluate_problems(table, options));
  if (!options.language.empty() && options.task.empty())
    options.tokenize = metrics::usual_tokenizer(data::canonical_code(options.language));
  if (!options.task.empty()) {
    evaluate_task(options);
    return 0;
  }
  const std::vector<std::shared_ptr<const Metric>> all = make_metrics(options);
  const LearnedMetric learned = learned_metric_of(options).empty()
                                    ? LearnedMetric()
                                    : load_learned_metric(options, arguments);
  Corpora corpora = read_corpora(options);
  warn_if_tokenized(options, corpora);
  warn_if_unspaced(options, corpora);

  if (const std::string missing = missing_references(options, corpora); !missing.empty())
    spdlog::warn("{}", missing);

  TranslationScores scores;
  scores.documents = choose_sentences(options, corpora);
  add_options_of_report(options);
  for (const std::shared_ptr<const Metric>& metric : all) {
    size_t references = corpora.references.size();
    MetricResults& results = scores.by_metric.emplace_back(
        metric ? results_without_scores(metric, corpora)
               : learned_results(learned, options, corpora, references));
    results.scores =
        metrics::evaluate(*results.rule, references, results.statistics, options.evaluation);
  }
  if (!options.report.empty()) {
    const std::shared_ptr<const metrics::Bleu> bleu = metrics::make_bleu(metric_options(options));
    write_systems_report(options, corpora, scores, by_sentence(options, corpora, scores),
                         [bleu](const std::string& sentence) { return bleu->words(sentence); });
  }
  print_scores(options, scores);
  return 0;
}

}  // namespace dietmt::tools
