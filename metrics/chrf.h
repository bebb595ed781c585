// chrF (Popovic 2015) and chrF++ (Popovic 2017): the F score of character n-grams, and for chrF++
// of word n-grams too,
//   chrF_beta = (1 + beta^2) P R / (beta^2 P + R)
// with precision P and recall R averaged over the orders. Equal to sacreBLEU 2.6.0 for equal
// options. Steadier than BLEU on single sentences and for languages rich in word forms.
#pragma once

#include <string>
#include <vector>

#include "metrics/metric.h"

namespace dietmt::metrics {

struct ChrfOptions {
  int64_t char_order = 6;
  int64_t word_order = 0;  ///< 2: chrF++
  int64_t beta = 2;        ///< weight of recall against precision
  bool lowercase = false;
  bool whitespace = false;  ///< whitespace takes part in character n-grams
  /// As chrF++.py, Moses and NLTK: the F scores of all orders are averaged, an order without
  /// n-grams counting as almost zero. Otherwise the orders present on both sides are averaged.
  bool eps_smoothing = false;
};

class Chrf : public Metric {
 public:
  /// Throws ConfigError if an order or beta is negative, or both orders are 0.
  explicit Chrf(ChrfOptions options);

  /// chrF2, chrF2++: beta and one + for each word order
  std::string name() const override;

  /// For each order, characters first: n-grams of the hypothesis, of the reference, matches; of the
  /// reference with the best sentence score.
  std::vector<double> sentence_statistics(const std::string& hypothesis,
                                          std::span<const std::string> references) const override;
  Score score(std::span<const double> statistics) const override;

 protected:
  std::string signature_fields() const override;

 private:
  double f_score(std::span<const double> statistics) const;

  ChrfOptions options_;
};

}  // namespace dietmt::metrics
