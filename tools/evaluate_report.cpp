// The page of `dietmt evaluate --report`.
#include <filesystem>
#include <utility>

#include "common/files.h"
#include "metrics/unspaced_scripts.h"
#include "reporting/comparison.h"
#include "tools/evaluate_options.h"
#include "tools/report_output.h"

namespace dietmt::tools {

void write_systems_report(const EvaluateOptions& o, const Corpora& corpora,
                          const TranslationScores& scores, metrics::MetricResults by_sentence,
                          const metrics::WordSplitter& words) {
  metrics::ComparedSystems systems{
      .names = reporting::distinct_names({o.hypotheses.begin(), o.hypotheses.end()}),
      .reference = corpora.references[0],
      .hypotheses = corpora.hypotheses,
      .sources = corpora.sources,
      .splits_sources = metrics::tokenizer_problem(o.tokenize, corpora.sources).empty(),
      .words = words,
      .metrics = scores.by_metric,
      .by_sentence = std::move(by_sentence)};
  systems.origins = corpora.origins;
  systems.training_files = o.training;
  systems.numbers = corpora.lines;
  if (corpora.references.size() > 1)
    systems.notes.push_back("lengths, words, n-grams and sentences are those of " +
                            o.references[0] + ", the first of " +
                            std::to_string(corpora.references.size()) + " references");
  if (const std::string missing = missing_references(o, corpora); !missing.empty())
    systems.notes.push_back(missing);
  std::string title = "Translations of " + o.references[0];
  write_page(o.report, systems_page(title, systems));
}

}  // namespace dietmt::tools
