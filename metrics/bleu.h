// BLEU (Papineni et al. 2002): the geometric mean of the n-gram precisions p_n, clipped by the
// largest count in any one reference, times the brevity penalty:
//   BLEU = min(1, exp(1 - r/h)) * exp(1/N sum_{n=1..N} ln p_n)
// h: length of the hypotheses, r: of the references closest in length. Equal to sacreBLEU 2.6.0 for
// equal options. Corpus level is the defined use; for single sentences set effective_order.
// multi-bleu.perl's lower-cased BLEU of tokenized text: {.tokenizer = kNone, .lowercase = true}.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "metrics/bleu_tokenizer.h"
#include "metrics/metric.h"

namespace dietmt::metrics {

/// The value of a precision without matches (Chen and Cherry 2014): kExp 1/(2^k total) for the k-th
/// such order, kFloor value/total; kAddK adds the value to matches and totals of orders above 1.
enum class Smoothing { kNone, kFloor, kAddK, kExp };

/// "none", "floor", "add-k", "exp"; throws ConfigError naming the choices.
Smoothing smoothing_from_name(const std::string& name);
std::string to_string(Smoothing smoothing);

struct BleuOptions {
  BleuTokenizer tokenizer = BleuTokenizer::k13a;
  std::optional<GivenTokenizer> given_tokenizer = std::nullopt;  ///< instead of it
  bool lowercase = false;
  Smoothing smoothing = Smoothing::kExp;
  std::optional<double> smoothing_value = std::nullopt;  ///< unset: 0.1 for kFloor, 1 for kAddK
  int64_t max_order = 4;         ///< N; another one is named in the signature (`order:`)
  bool effective_order = false;  ///< N = the longest n-gram that the hypothesis can hold
};

class Bleu : public Metric {
 public:
  /// Throws ConfigError if max_order < 1.
  explicit Bleu(BleuOptions options);

  std::string name() const override { return "BLEU"; }

  /// hypothesis length, closest reference length, N matches, N totals
  std::vector<double> sentence_statistics(const std::string& hypothesis,
                                          std::span<const std::string> references) const override;
  Score score(std::span<const double> statistics) const override;

  /// The words whose n-grams it counts.
  std::vector<std::string> words(const std::string& sentence) const;

 protected:
  std::string signature_fields() const override;

 private:
  std::vector<double> precisions(std::span<const double> matches, std::span<const double> totals,
                                 int64_t& effective_order) const;

  BleuOptions options_;
};

}  // namespace dietmt::metrics
