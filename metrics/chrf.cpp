#include "metrics/chrf.h"

#include <algorithm>

#include "common/error.h"
#include "metrics/ngrams.h"
#include "metrics/unicode.h"

namespace dietmt::metrics {
namespace {

Symbols characters(std::string_view sentence, bool whitespace) {
  Symbols symbols;
  for (const char32_t c : code_points(sentence))
    if (whitespace || !is_space(c)) symbols.push_back(c);
  return symbols;
}

// Words of chrF++: one punctuation character at the end, else at the start, is a separate word.
std::vector<std::string_view> words(std::string_view sentence) {
  std::vector<std::string_view> all;
  for (const std::string_view word : split_words(sentence)) {
    const size_t last = word.size() - 1;
    if (last > 0 && is_ascii_punctuation(word[last])) {
      all.push_back(word.substr(0, last));
      all.push_back(word.substr(last));
    } else if (last > 0 && is_ascii_punctuation(word[0])) {
      all.push_back(word.substr(0, 1));
      all.push_back(word.substr(1));
    } else {
      all.push_back(word);
    }
  }
  return all;
}

// Writes [reference][order][hypothesis, reference, match] counts, from order `first` on.
void count(const std::vector<Symbols>& sequences, int64_t orders, size_t first,
           std::vector<std::vector<double>>& statistics) {
  for (int64_t n = 1; n <= orders; ++n) {
    for (size_t r = 1; r < sequences.size(); ++r) {
      double* cell = &statistics[r - 1][3 * (first + static_cast<size_t>(n) - 1)];
      cell[1] = static_cast<double>(ngram_total(sequences[r], n));
      cell[0] = cell[1] > 0 ? static_cast<double>(ngram_total(sequences[0], n)) : 0.0;
    }
  }
  for_each_shared_ngram(sequences, orders, [&](int64_t order, std::span<const int64_t> counts) {
    const size_t match = 3 * (first + static_cast<size_t>(order) - 1) + 2;
    for (size_t r = 1; r < counts.size(); ++r)
      statistics[r - 1][match] += static_cast<double>(std::min(counts[0], counts[r]));
  });
}

}  // namespace

Chrf::Chrf(ChrfOptions options) : options_(options) {
  if (options_.char_order < 0 || options_.word_order < 0 || options_.beta < 0 ||
      options_.char_order + options_.word_order == 0)
    throw ConfigError(
        "--chrf-char-order or --chrf-word-order must be above 0, and --chrf-beta 0 or more");
}

std::string Chrf::name() const {
  return "chrF" + std::to_string(options_.beta) +
         std::string(static_cast<size_t>(options_.word_order), '+');
}

std::vector<double> Chrf::sentence_statistics(const std::string& hypothesis,
                                              std::span<const std::string> references) const {
  WordIds ids;
  std::vector<Symbols> of_characters;
  std::vector<Symbols> of_words;
  const auto add = [&](const std::string& sentence) {
    const std::string text = options_.lowercase ? lowercase(sentence) : sentence;
    of_characters.push_back(characters(text, options_.whitespace));
    of_words.push_back(options_.word_order > 0 ? ids.number(words(text)) : Symbols{});
  };
  add(hypothesis);
  for (const std::string& reference : references) add(reference);

  const auto char_order = static_cast<size_t>(options_.char_order);
  const size_t width = 3 * (char_order + static_cast<size_t>(options_.word_order));
  std::vector<std::vector<double>> statistics(references.size(), std::vector<double>(width));
  count(of_characters, options_.char_order, 0, statistics);
  count(of_words, options_.word_order, char_order, statistics);
  return *std::max_element(
      statistics.begin(), statistics.end(),
      [this](const auto& a, const auto& b) { return f_score(a) < f_score(b); });
}

double Chrf::f_score(std::span<const double> statistics) const {
  constexpr double kEpsilon = 1e-16;
  const double weight = static_cast<double>(options_.beta * options_.beta);
  const auto f_beta = [weight](double precision, double recall) {
    return (1 + weight) * precision * recall / (weight * precision + recall);
  };
  const size_t orders = statistics.size() / 3;
  double scores = 0.0, precisions = 0.0, recalls = 0.0;
  int64_t present = 0;
  for (size_t n = 0; n < orders; ++n) {
    const double in_hypothesis = statistics[3 * n];
    const double in_reference = statistics[3 * n + 1];
    const double matches = statistics[3 * n + 2];
    const double precision = in_hypothesis > 0 ? matches / in_hypothesis : kEpsilon;
    const double recall = in_reference > 0 ? matches / in_reference : kEpsilon;
    scores += weight * precision + recall > 0 ? f_beta(precision, recall) : kEpsilon;
    if (in_hypothesis > 0 && in_reference > 0) {
      precisions += precision;
      recalls += recall;
      ++present;
    }
  }
  if (options_.eps_smoothing) return 100 * scores / static_cast<double>(orders);
  if (precisions + recalls == 0) return 0.0;
  return 100 *
         f_beta(precisions / static_cast<double>(present), recalls / static_cast<double>(present));
}

Score Chrf::score(std::span<const double> statistics) const {
  return {name(), f_score(statistics), "", {}};
}

std::string Chrf::signature_fields() const {
  return std::string("case:") + (options_.lowercase ? "lc" : "mixed") +
         "|eff:" + (options_.eps_smoothing ? "no" : "yes") +
         "|nc:" + std::to_string(options_.char_order) +
         "|nw:" + std::to_string(options_.word_order) +
         "|space:" + (options_.whitespace ? "yes" : "no");
}

}  // namespace dietmt::metrics
