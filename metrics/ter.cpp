#include "metrics/ter.h"

#include <algorithm>
#include <limits>

#include "metrics/ngrams.h"
#include "metrics/translation_edits.h"

namespace dietmt::metrics {
namespace {

// sacreBLEU normalises references twice, which matters for text such as "..5".
std::vector<std::string> reference_words(const TerOptions& options, const std::string& reference) {
  std::string once;
  for (const std::string& word : tokenize_tercom(options, reference)) once += word + " ";
  return tokenize_tercom(options, once);
}

}  // namespace

std::vector<double> Ter::sentence_statistics(const std::string& hypothesis,
                                             std::span<const std::string> references) const {
  WordIds ids;
  const Symbols words = ids.number(tokenize_tercom(options_, hypothesis));
  int64_t edits = std::numeric_limits<int64_t>::max();
  size_t length = 0;
  for (const std::string& reference : references) {
    const Symbols target = ids.number(reference_words(options_, reference));
    edits = std::min(edits, translation_edits(words, target));
    length += target.size();
  }
  return {static_cast<double>(edits),
          static_cast<double>(length) / static_cast<double>(references.size())};
}

// Edits without any reference word count as 100.
Score Ter::score(std::span<const double> statistics) const {
  const double edits = statistics[0];
  const double reference_length = statistics[1];
  const double without_reference = edits > 0 ? 1.0 : 0.0;
  const double rate = reference_length > 0 ? edits / reference_length : without_reference;
  return {name(), 100 * rate, "", {{"edits", edits}, {"reference_length", reference_length}}};
}

std::string Ter::signature_fields() const {
  const auto yes_no = [](bool value) { return std::string(value ? "yes" : "no"); };
  return std::string("case:") + (options_.case_sensitive ? "mixed" : "lc") +
         "|tok:tercom|norm:" + yes_no(options_.normalized) +
         "|punct:" + yes_no(!options_.no_punct) + "|asian:" + yes_no(options_.asian_support);
}

}  // namespace dietmt::metrics
