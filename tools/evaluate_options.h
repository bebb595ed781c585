// The parts of `dietmt evaluate`: its options, what it prints about translations, and the scores of
// predictions for tasks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/options.h"
#include "metrics/comparison/systems_page.h"
#include "metrics/evaluation.h"

namespace dietmt::tools {

struct EvaluateOptions : metrics::MetricOptions {
  std::vector<std::string> references;
  std::vector<std::string> hypotheses;
  std::string metrics = "bleu";

  std::string comet_model;
  std::string source;
  std::string device = "cpu";
  int64_t threads = 0;
  int64_t batch_tokens = 4096;
  int64_t comet_context = 0;  // sentences

  std::string origins, origin;
  std::string documents, subset;
  bool document_level = false;

  std::string subword_model;
  metrics::EvaluationOptions evaluation;

  std::string task;
  std::vector<std::string> predictions;
  std::string language;
  std::string null_odds;

  std::string report;
  std::vector<std::string> training;

  bool json = false;
  bool score_only = false;
  int64_t digits = 2;
};

OptionTable evaluate_table(EvaluateOptions& o);

std::vector<std::string> evaluate_problems(const OptionTable& table, const EvaluateOptions& o);

std::vector<std::string> metric_names(const EvaluateOptions& o);

/// The learned metric in --metric: kComet or kMetricx (tools/learned_metric.h), or "".
std::string learned_metric_of(const EvaluateOptions& o);

/// Which of them a name in --metric means, or "".
std::string learned_metric_named(const std::string& name);

/// Whether --tokenize is used: by BLEU or the report.
bool splits_words(const EvaluateOptions& o);

/// Whether a tokenizer of BLEU needs a subword model.
bool has_subwords(const std::string& tokenizer);

struct Corpora {
  metrics::References references;
  std::vector<std::vector<std::string>> hypotheses;
  std::vector<std::string> sources;    // empty without --source
  std::vector<std::string> origins;    // empty without --origins
  std::vector<size_t> lines = {};      // numbers in the files, from 1
  std::vector<size_t> documents = {};  // of the sentences; empty without --documents
};

/// Lines without whitespace at their ends, as sacreBLEU reads them. Throws DataError if the files
/// differ in length.
Corpora read_corpora(const EvaluateOptions& o);

/// Leaves only the sentences of --origlang and --subset in `corpora`, and notes them for the
/// signature. Returns the ids of their documents if these get scores.
std::vector<std::string> choose_sentences(EvaluateOptions& o, Corpora& corpora);

/// Says which references are missing: how an empty line counts. Empty if none is.
std::string missing_references(const EvaluateOptions& o, const Corpora& corpora);

/// Scores of translations by each metric, and the names of the documents that they have scores of.
struct TranslationScores {
  std::vector<metrics::MetricResults> by_metric;
  std::vector<std::string> documents;
};

/// Writes --report. `words`: those of BLEU.
void write_systems_report(const EvaluateOptions& o, const Corpora& corpora,
                          const TranslationScores& scores, metrics::MetricResults by_sentence,
                          const metrics::WordSplitter& words);

void print_scores(const EvaluateOptions& o, const TranslationScores& scores);

/// Scores --predictions for --task and prints the scores.
void evaluate_task(const EvaluateOptions& o);

}  // namespace dietmt::tools
