// TER, the translation edit rate (Snover et al. 2006): the edits that turn the hypothesis into its
// nearest reference, divided by the average length of the references. Smaller is better; above 100
// is possible. Equal to sacreBLEU 2.6.0 (tercom) for equal options.
#pragma once

#include <string>
#include <vector>

#include "metrics/metric.h"
#include "metrics/tercom_tokenizer.h"

namespace dietmt::metrics {

using TerOptions = TercomOptions;

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
