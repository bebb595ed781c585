// TER, the translation edit rate (Snover et al. 2006): the edits that turn the hypothesis into its
// nearest reference, divided by the average length of the references. Smaller is better; above 100
// is possible. Equal to sacreBLEU 2.6.0 (tercom) for equal options.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/metric.h"
#include "metrics/ngrams.h"

namespace dietmt::metrics {

/// The number of edits of TER: insertions, deletions, substitutions, and shifts of word sequences,
/// each at cost 1. Shifts are searched greedily with tercom's heuristics and limits, in the variant
/// of sacreBLEU, so that the counts are equal: matching sequences of up to 10 words over a distance
/// of up to 50, at most 1000 shifts tried, and an edit distance that is computed only within 25
/// words of the diagonal. Edits that turn `hypothesis` into `reference`. Time: (shifts tried) x
/// (words) x 50.
int64_t translation_edits(const Symbols& hypothesis, const Symbols& reference);

struct TerOptions {
  bool normalized = false;  ///< unescape entities, set punctuation and possessives apart
  bool no_punct = false;    ///< remove punctuation
  /// With normalized, sets CJK characters apart; with no_punct, removes CJK marks.
  bool asian_support = false;
  bool case_sensitive = false;
};

/// The words of a sentence, normalised as sacreBLEU 2.6.0 does it.
std::vector<std::string> tokenize_tercom(const TerOptions& options, std::string_view sentence);

class Ter : public Metric {
 public:
  explicit Ter(TerOptions options) : options_(options) {}

  std::string name() const override { return "TER"; }

  /// edits against the nearest reference, average reference length
  std::vector<double> sentence_statistics(const std::string& hypothesis,
                                          std::span<const std::string> references) const override;
  Score score(std::span<const double> statistics) const override;

 protected:
  std::string signature_fields() const override;

 private:
  TerOptions options_;
};

}  // namespace dietmt::metrics
