#include "metrics/bleu.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "common/error.h"
#include "metrics/ngrams.h"
#include "metrics/unicode.h"

namespace dietmt::metrics {
namespace {

constexpr std::array<std::pair<Smoothing, const char*>, 4> kSmoothingNames{{
    {Smoothing::kNone, "none"},
    {Smoothing::kFloor, "floor"},
    {Smoothing::kAddK, "add-k"},
    {Smoothing::kExp, "exp"},
}};

bool takes_value(Smoothing smoothing) {
  return smoothing == Smoothing::kFloor || smoothing == Smoothing::kAddK;
}

// The reference length closest to the hypothesis; the shorter one of two equally close.
size_t closest_length(size_t length, const std::vector<Symbols>& sentences) {
  size_t closest = sentences[1].size();
  const auto distance = [length](size_t other) {
    return other > length ? other - length : length - other;
  };
  for (size_t r = 2; r < sentences.size(); ++r) {
    const size_t candidate = sentences[r].size();
    if (distance(candidate) < distance(closest) ||
        (distance(candidate) == distance(closest) && candidate < closest))
      closest = candidate;
  }
  return closest;
}

std::string formatted(const char* format, double value) {
  char text[400];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

double brevity_penalty(double hypothesis_length, double reference_length) {
  if (hypothesis_length >= reference_length) return 1.0;
  return hypothesis_length > 0 ? std::exp(1 - reference_length / hypothesis_length) : 0.0;
}

// `used`: how many precisions enter the mean.
double geometric_mean(const std::vector<double>& precisions, int64_t used) {
  double logarithms = 0.0;
  for (int64_t n = 0; n < used; ++n) {
    if (precisions[static_cast<size_t>(n)] == 0.0) return 0.0;
    logarithms += std::log(precisions[static_cast<size_t>(n)]);
  }
  return std::exp(logarithms / static_cast<double>(used));
}

}  // namespace

Smoothing smoothing_from_name(const std::string& name) {
  std::string choices;
  for (const auto& [smoothing, known] : kSmoothingNames) {
    if (name == known) return smoothing;
    choices += std::string(choices.empty() ? "" : ", ") + known;
  }
  throw ConfigError("unknown smoothing '" + name + "'; the choices are " + choices);
}

std::string to_string(Smoothing smoothing) {
  for (const auto& [known, name] : kSmoothingNames)
    if (known == smoothing) return name;
  throw Error("a smoothing without a name");
}

Bleu::Bleu(BleuOptions options) : options_(options) {
  if (options_.max_order < 1) throw ConfigError("BLEU needs a maximal n-gram order of 1 or more");
  if (!options_.smoothing_value && takes_value(options_.smoothing))
    options_.smoothing_value = options_.smoothing == Smoothing::kFloor ? 0.1 : 1.0;
}

std::vector<std::string> Bleu::words(const std::string& sentence) const {
  const std::string text(strip_right(options_.lowercase ? lowercase(sentence) : sentence));
  if (!options_.given_tokenizer) return tokenize(options_.tokenizer, text);
  const std::string separated = options_.given_tokenizer->separated(text);
  const std::vector<std::string_view> found = split_words(separated);
  return {found.begin(), found.end()};
}

std::vector<double> Bleu::sentence_statistics(const std::string& hypothesis,
                                              std::span<const std::string> references) const {
  WordIds ids;
  std::vector<Symbols> sentences{ids.number(words(hypothesis))};
  for (const std::string& reference : references) sentences.push_back(ids.number(words(reference)));

  const auto orders = static_cast<size_t>(options_.max_order);
  std::vector<double> statistics(2 + 2 * orders, 0.0);
  statistics[0] = static_cast<double>(sentences[0].size());
  statistics[1] = static_cast<double>(closest_length(sentences[0].size(), sentences));
  double* matches = &statistics[2];
  double* totals = &statistics[2 + orders];
  for (int64_t n = 1; n <= options_.max_order; ++n)
    totals[n - 1] = static_cast<double>(ngram_total(sentences[0], n));
  for_each_shared_ngram(sentences, options_.max_order,
                        [&](int64_t order, std::span<const int64_t> counts) {
                          const int64_t clip = *std::max_element(counts.begin() + 1, counts.end());
                          matches[order - 1] += static_cast<double>(std::min(counts[0], clip));
                        });
  return statistics;
}

std::vector<double> Bleu::precisions(std::span<const double> matches,
                                     std::span<const double> totals,
                                     int64_t& effective_order) const {
  std::vector<double> all(matches.size(), 0.0);
  if (std::all_of(matches.begin(), matches.end(), [](double m) { return m == 0; })) return all;
  double halvings = 1.0;
  for (size_t n = 0; n < matches.size(); ++n) {
    const bool adds = options_.smoothing == Smoothing::kAddK && n > 0;
    const double added = adds ? *options_.smoothing_value : 0.0;
    const double match = matches[n] + added;
    const double total = totals[n] + added;
    if (total == 0) break;
    if (options_.effective_order) effective_order = static_cast<int64_t>(n) + 1;
    if (match != 0) {
      all[n] = 100. * match / total;
    } else if (options_.smoothing == Smoothing::kExp) {
      halvings *= 2;
      all[n] = 100. / (halvings * total);
    } else if (options_.smoothing == Smoothing::kFloor) {
      all[n] = 100. * *options_.smoothing_value / total;
    }
  }
  return all;
}

Score Bleu::score(std::span<const double> statistics) const {
  const auto orders = static_cast<size_t>(options_.max_order);
  const double hypothesis_length = statistics[0];
  const double reference_length = statistics[1];
  int64_t effective_order = options_.max_order;
  const std::vector<double> all =
      precisions(statistics.subspan(2, orders), statistics.subspan(2 + orders), effective_order);
  const double penalty = brevity_penalty(hypothesis_length, reference_length);
  const double ratio = reference_length > 0 ? hypothesis_length / reference_length : 0.0;

  Score result{name(), penalty * geometric_mean(all, effective_order), "", {}};
  for (size_t n = 0; n < orders; ++n) {
    result.detail += (n > 0 ? "/" : "") + formatted("%.1f", all[n]);
    result.figures.emplace_back("precision_" + std::to_string(n + 1), all[n]);
  }
  result.detail += " (BP = " + formatted("%.3f", penalty) + " ratio = " + formatted("%.3f", ratio) +
                   " hyp_len = " + formatted("%.0f", hypothesis_length) +
                   " ref_len = " + formatted("%.0f", reference_length) + ")";
  result.figures.emplace_back("brevity_penalty", penalty);
  result.figures.emplace_back("hypothesis_length", hypothesis_length);
  result.figures.emplace_back("reference_length", reference_length);
  return result;
}

std::string Bleu::signature_fields() const {
  std::string smooth = to_string(options_.smoothing);
  if (takes_value(options_.smoothing)) smooth += formatted("[%.2f]", *options_.smoothing_value);
  const std::string tokenizer =
      options_.given_tokenizer ? options_.given_tokenizer->name : to_string(options_.tokenizer);
  std::string fields = std::string("case:") + (options_.lowercase ? "lc" : "mixed") +
                       "|eff:" + (options_.effective_order ? "yes" : "no") + "|tok:" + tokenizer +
                       "|smooth:" + smooth;
  if (options_.max_order != 4) fields += "|order:" + std::to_string(options_.max_order);
  return fields;
}

}  // namespace dietmt::metrics
