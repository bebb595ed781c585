// The parts of `dietmt evaluate`: its options, what it prints about translations, and the scores of
// predictions for tasks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "metrics/evaluation.h"

namespace dietmt::tools {

struct EvaluateOptions : metrics::MetricOptions {
  std::vector<std::string> references;
  std::vector<std::string> hypotheses;
  std::string metrics = "bleu";

  std::string origins, origin;
  std::string documents, subset;
  bool document_level = false;

  std::string subword_model;
  metrics::EvaluationOptions evaluation;

  std::string task;
  std::vector<std::string> predictions;
  std::string language;
  std::string null_odds;

  bool json = false;
  bool score_only = false;
  int64_t digits = 2;
};

struct Corpora {
  metrics::References references;
  std::vector<std::vector<std::string>> hypotheses;
};

/// Lines without whitespace at their ends, as sacreBLEU reads them. Throws DataError if the files
/// differ in length or are empty.
Corpora read_corpora(const EvaluateOptions& o);

/// Leaves only the sentences of --origlang and --subset in `corpora`, and notes them for the
/// signature. Returns the ids of their documents if these get scores.
std::vector<std::string> choose_sentences(EvaluateOptions& o, Corpora& corpora);

/// Scores of translations: by metric and hypothesis, and the names of the documents that they have
/// scores of.
struct TranslationScores {
  std::vector<std::vector<metrics::SystemScore>> by_metric;
  std::vector<std::string> documents;
};

void print_scores(const EvaluateOptions& o, const TranslationScores& scores);

/// Scores --predictions for --task and prints the scores.
void evaluate_task(const EvaluateOptions& o);

}  // namespace dietmt::tools
