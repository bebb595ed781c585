// The interface of corpus metrics. A metric turns each sentence into a few sufficient statistics
// (counts), and the sum of such statistics into a score. Significance tests and the command line
// need only the second half, a ScoreRule.
//
//   Bleu({}).corpus_score(hypotheses, {references}).score
//
// Scores are percentages, as printed in papers, unless the metric says otherwise. A signature names
// everything that a score depends on, with the fields of sacreBLEU (Post 2018).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dietmt::metrics {

/// A reference set holds one reference for each sentence; there may be several sets.
using References = std::vector<std::vector<std::string>>;

struct Score {
  std::string name;                                     ///< "BLEU", "chrF2++", "TER"
  double score = 0.0;                                   ///< not rounded
  std::string detail;                                   ///< printed after the score; may be empty
  std::vector<std::pair<std::string, double>> figures;  ///< the details as numbers
  int more_digits = 0;  ///< decimals beyond those of percentages, where scores are smaller

  /// "BLEU = 22.67 56.2/28.7/16.9/10.3 (BP = 0.985 ...)" with `digits` decimals of a percentage;
  /// `significance` goes between score and detail.
  std::string to_string(int digits = 2, const std::string& significance = "") const;
};

/// The statistics of each sentence of a corpus, sentence by sentence. [sentences, width]
class CorpusStatistics {
 public:
  void add(std::span<const double> sentence);
  size_t sentences() const { return width_ == 0 ? 0 : values_.size() / width_; }
  size_t width() const { return width_; }
  std::span<const double> operator[](size_t i) const {
    return std::span<const double>(values_).subspan(i * width_, width_);
  }
  std::vector<double> sum() const;

 private:
  size_t width_ = 0;
  std::vector<double> values_;
};

/// The last field of a signature, `version:dietmt-0.1.0`.
std::string version_field();

/// What turns statistics into a score.
class ScoreRule {
 public:
  virtual ~ScoreRule() = default;

  virtual std::string name() const = 0;

  /// The score of summed statistics.
  virtual Score score(std::span<const double> statistics) const = 0;

  /// `nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:dietmt-0.1.0`. `more` (such as
  /// `bs:1000|seed:12345|`) goes after nrefs.
  std::string signature(size_t reference_sets, const std::string& more = "") const;

 protected:
  virtual std::string signature_fields() const = 0;
};

class Metric : public ScoreRule {
 public:
  /// The sufficient statistics of one sentence against its references (one or more).
  virtual std::vector<double> sentence_statistics(
      const std::string& hypothesis, std::span<const std::string> references) const = 0;

  /// Throws DataError with the counts if there is no reference set, no sentence, or a reference
  /// set of another length.
  CorpusStatistics corpus_statistics(const std::vector<std::string>& hypotheses,
                                     const References& references) const;
  Score corpus_score(const std::vector<std::string>& hypotheses,
                     const References& references) const;
  Score sentence_score(const std::string& hypothesis,
                       std::span<const std::string> references) const;
};

}  // namespace dietmt::metrics
