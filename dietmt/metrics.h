// BLEU, chrF and TER with signatures, confidence intervals and significance tests, as in `dietmt
// evaluate` and equal to sacreBLEU 2.6.0 with the same options.
//
//   const auto scores = dietmt::evaluate({hypotheses}, {references}, {.metric = "chrf"});
//   std::cout << scores[0].score << ' ' << scores[0].signature << '\n';
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dietmt/error.h"

namespace dietmt {

/// One line per sentence. Trailing whitespace is ignored.
using Lines = std::vector<std::string>;

struct EvaluateOptions {
  std::string metric = "bleu";  ///< bleu, chrf, chrf++ or ter
  bool lowercase = false;       ///< of BLEU and chrF; TER does so anyway

  // Options that do not belong to the chosen metric are refused.

  // BLEU
  std::string tokenize = "13a";       ///< 13a, intl, char, none, zh, ja-mecab or ko-mecab
  std::string mecab_dictionary = {};  ///< for ja-mecab and ko-mecab; empty: the system's
  std::string smooth = "exp";         ///< none, floor, add-k or exp
  std::optional<double> smooth_value = std::nullopt;  ///< unset: 0.1 for floor, 1 for add-k
  bool effective_order = false;  ///< leave out orders longer than the hypothesis
  std::int64_t max_order = 4;    ///< the longest n-gram

  // chrF
  std::int64_t char_order = 6;
  std::int64_t word_order = 0;  ///< 2: chrF++
  std::int64_t beta = 2;        ///< weight of recall against precision
  bool whitespace = false;      ///< whitespace takes part in character n-grams
  bool eps_smoothing = false;   ///< average the F scores as chrF++.py does

  // TER
  bool normalized = false;      ///< unescape entities and split off punctuation
  bool no_punct = false;        ///< remove punctuation
  bool asian_support = false;   ///< apply both to CJK characters too
  bool case_sensitive = false;  ///< do not lower-case

  bool sentence_scores = false;  ///< scores of each sentence too; effective order for BLEU
  bool confidence = false;       ///< 95 % intervals from bootstrap resampling
  std::int64_t confidence_samples = 1000;
  std::string paired = "none";      ///< bootstrap or randomization: compare with the first
  std::int64_t paired_samples = 0;  ///< 0: 1000 for bootstrap, 10000 for randomization
  std::int64_t seed = 12345;        ///< of resampling
};

struct EvaluationScore {
  std::string name;                                     ///< BLEU, chrF2, chrF2++ or TER
  double score = 0.0;                                   ///< in percent, not rounded
  std::string signature;                                ///< everything that the score depends on
  std::vector<std::pair<std::string, double>> figures;  ///< precisions, brevity penalty and others
  std::optional<double> confidence_mean;                ///< of the resampled scores
  std::optional<double> confidence_half_width;          ///< half of the 95 % interval
  std::optional<double> p_value;                        ///< of the difference from the first system
  std::vector<double> sentence_scores;                  ///< if asked for

  bool operator==(const EvaluationScore&) const = default;
};

/// Scores one or several systems, in their order. `references`: one or several sets, each as long
/// as the outputs. Throws UsageError and InputError.
DIETMT_API std::vector<EvaluationScore> evaluate(const std::vector<Lines>& systems,
                                                 const std::vector<Lines>& references,
                                                 const EvaluateOptions& options = {});

}  // namespace dietmt
