#include "metrics/comparison/systems_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "metrics/comparison/ngram_gains.h"
#include "metrics/comparison/sentence_groups.h"
#include "metrics/comparison/word_accuracy.h"
#include "metrics/unicode.h"
#include "reporting/html_table.h"
#include "reporting/report.h"
#include "reporting/run_curves.h"

namespace dietmt::metrics {
namespace {

using reporting::Chart;
using reporting::TableCell;
using reporting::TableKind;
using Rows = std::vector<std::vector<TableCell>>;
using Scores = std::vector<double>;

constexpr size_t kNgrams = 20, kSentences = 10;  // in each list

std::string number(double value, int more_digits) {
  return fmt::format("{:.{}f}", value, 2 + more_digits);
}

std::string count(size_t value) { return reporting::count_text(static_cast<double>(value)); }

void add_scores(const std::string& metric, const Scores& scores, int more_digits,
                std::vector<TableCell>& row) {
  const int best = scores.size() > 1 ? reporting::best_index(lowercase(metric), scores) : -1;
  for (size_t i = 0; i < scores.size(); ++i)
    row.emplace_back(number(scores[i], more_digits), best == static_cast<int>(i));
}

class SystemsPage {
 public:
  explicit SystemsPage(const ComparedSystems& systems)
      : all_(systems), texts_(systems.words, systems.reference, systems.hypotheses) {
    for (const CorpusStatistics& system : all_.by_sentence.statistics) {
      Scores& scores = sentence_scores_.emplace_back();
      for (size_t i = 0; i < system.sentences(); ++i)
        scores.push_back(all_.by_sentence.rule->score(system[i]).score);
    }
  }

  std::string body() const {
    std::string html = facts() + scores();
    html += group_section("Length of the reference", "words", groups_by_length(texts_.reference),
                          /*with_charts=*/true);
    if (!all_.sources.empty() && all_.splits_sources) html += source_lengths();
    if (!all_.origins.empty())
      html += group_section("Origin", "origin", groups_by_label(all_.origins),
                            /*with_charts=*/false);
    html += word_frequencies();
    const NgramCounts ngrams(texts_);
    for (size_t s = 1; s < all_.names.size(); ++s) {
      html += ngram_section(ngrams, s, 0) + ngram_section(ngrams, 0, s);
      html += difference_section(s, 0) + difference_section(0, s);
    }
    if (all_.names.size() == 1) html += worst_section();
    return html;
  }

 private:
  std::string facts() const {
    std::string html = "<p class='facts'>" + count(all_.reference.size()) + " sentences";
    for (const MetricResults& metric : all_.metrics)
      html += "<br>" + reporting::html_escaped(metric.scores[0].score.name + ": " +
                                               metric.scores[0].signature);
    for (const std::string& note : all_.notes) html += "<br>" + reporting::html_escaped(note);
    return html + "</p>\n";
  }

  std::string scores() const {
    std::vector<std::string> columns{"system"};
    Rows rows;
    for (const std::string& name : all_.names) rows.push_back({name});
    for (const MetricResults& metric : all_.metrics) {
      const std::vector<SystemScore>& scores = metric.scores;
      const int digits = scores[0].score.more_digits;
      columns.push_back(scores[0].score.name);
      std::vector<TableCell> cells;
      Scores values;
      for (const SystemScore& one : scores) values.push_back(one.score.score);
      add_scores(scores[0].score.name, values, digits, cells);
      for (size_t s = 0; s < scores.size(); ++s) rows[s].push_back(cells[s]);
      if (scores[0].interval) {
        columns.emplace_back("95 % interval");
        for (size_t s = 0; s < scores.size(); ++s)
          rows[s].push_back("± " + number(scores[s].interval->half_width, digits));
      }
      if (scores.back().p_value) {
        columns.push_back("p");
        for (size_t s = 0; s < scores.size(); ++s)
          rows[s].push_back(scores[s].p_value ? fmt::format("{:.4f}", *scores[s].p_value) : "");
      }
    }
    return reporting::table_section("Scores", columns, rows, TableKind::kNumbers) +
           (all_.names.size() == 1
                ? ""
                : "<p class='facts'>p: how often chance would give a difference from the first "
                  "system this large if both were equally good.</p>\n");
  }

  // A column for each metric and system, and a chart for each metric.
  std::string group_section(const std::string& heading, const std::string& unit,
                            const SentenceGroups& groups, bool with_charts) const {
    std::vector<std::string> columns{unit, "sentences"};
    Rows rows;
    for (size_t g = 0; g < groups.names.size(); ++g)
      rows.push_back({reporting::shown_text(groups.names[g]), count(groups.sizes[g])});
    std::string charts;
    for (const MetricResults& metric : all_.metrics) {
      const Score& score = metric.scores[0].score;
      Chart chart{score.name + " by " + lowercase(heading), unit, score.name, {}};
      chart.x_names = groups.names;
      std::vector<Scores> by_group(groups.names.size());
      for (size_t s = 0; s < all_.names.size(); ++s) {
        columns.push_back(score.name + ' ' + all_.names[s]);
        const Scores parts = part_scores(*metric.rule, metric.statistics[s], groups.of_sentences);
        chart.series.push_back({all_.names[s], points_of(parts)});
        for (size_t g = 0; g < parts.size(); ++g) by_group[g].push_back(parts[g]);
      }
      for (size_t g = 0; g < by_group.size(); ++g)
        add_scores(score.name, by_group[g], score.more_digits, rows[g]);
      if (with_charts) charts += reporting::figure(chart);
    }
    return reporting::table_section(heading, columns, rows, TableKind::kNumbers) +
           chart_section(charts);
  }

  std::string source_lengths() const {
    WordIds ids;
    std::vector<Symbols> sentences;
    for (const std::string& line : all_.sources) sentences.push_back(ids.number(all_.words(line)));
    return group_section("Length of the source", "words", groups_by_length(sentences),
                         /*with_charts=*/true);
  }

  std::string word_frequencies() const {
    const bool from_files = !all_.training_files.empty();
    const WordFrequencies frequencies =
        from_files ? frequencies_in_files(texts_, all_.words, all_.training_files)
                   : frequencies_in_reference(texts_);
    Chart chart{"F1 of words by their frequency", "frequency", "F1", {}};
    for (const std::string& name : all_.names) chart.series.push_back({name, {}});
    Rows rows;
    for (const WordAccuracy& one : accuracy_by_frequency(texts_, frequencies)) {
      for (size_t s = 0; s < one.f1.size(); ++s)
        chart.series[s].points.push_back({static_cast<double>(rows.size()), one.f1[s]});
      chart.x_names.push_back(one.frequency);
      rows.push_back({one.frequency, count(static_cast<size_t>(one.reference_words))});
      add_scores("F1", one.f1, 0, rows.back());
    }
    std::vector<std::string> columns{"frequency", "words"};
    for (const std::string& name : all_.names) columns.push_back("F1 " + name);
    return reporting::table_section(from_files ? "Words by frequency in the training text"
                                               : "Words by frequency in the reference",
                                    columns, rows, TableKind::kNumbers) +
           chart_section(reporting::figure(chart) + distribution());
  }

  // The chart of the shares of sentences by their score.
  std::string distribution() const {
    double low = sentence_scores_[0][0], high = low;
    for (const Scores& scores : sentence_scores_) {
      low = std::min(low, std::ranges::min(scores));
      high = std::max(high, std::ranges::max(scores));
    }
    const std::vector<double> ticks = reporting::axis_ticks(low, high, 10);
    const std::string metric = all_.by_sentence.rule->name();
    Chart chart{"Sentences by " + metric, metric, "% of sentences", {}, /*from_zero=*/true};
    for (size_t i = 0; i + 1 < ticks.size(); ++i)
      chart.x_names.push_back(fmt::format("{:.5g}–{:.5g}", ticks[i], ticks[i + 1]));
    for (size_t s = 0; s < all_.names.size(); ++s) {
      Scores shares(ticks.size() - 1);
      for (const double score : sentence_scores_[s]) {
        const auto place = std::ranges::upper_bound(ticks, score) - ticks.begin();
        shares[std::clamp<size_t>(static_cast<size_t>(place), 1, shares.size()) - 1] +=
            100.0 / static_cast<double>(sentence_scores_[s].size());
      }
      chart.series.push_back({all_.names[s], points_of(shares)});
    }
    return reporting::figure(chart);
  }

  std::string ngram_section(const NgramCounts& ngrams, size_t better, size_t other) const {
    Rows rows;
    for (const NgramGain& gain : ngrams.gains(better, other, kNgrams))
      rows.push_back({reporting::shown_text(gain.ngram), std::to_string(gain.reference),
                      std::to_string(gain.better), std::to_string(gain.other)});
    if (rows.empty()) return "";
    return reporting::table_section(
        "N-grams that " + all_.names[better] + " gets right more often than " + all_.names[other],
        {"n-gram", "in the reference", all_.names[better], all_.names[other]}, rows,
        TableKind::kText);
  }

  // The sentences with the largest `key`, which must be above `least`.
  template <typename Key>
  std::vector<size_t> first_sentences(const Key& key, double least) const {
    std::vector<size_t> found;
    for (size_t i = 0; i < all_.reference.size(); ++i)
      if (key(i) > least) found.push_back(i);
    const size_t kept = std::min(found.size(), kSentences);
    std::partial_sort(
        found.begin(), found.begin() + static_cast<std::ptrdiff_t>(kept), found.end(),
        [&](size_t x, size_t y) { return key(x) != key(y) ? key(x) > key(y) : x < y; });
    found.resize(kept);
    return found;
  }

  std::string difference_section(size_t better, size_t other) const {
    const auto gain = [&](size_t i) {
      return sentence_scores_[better][i] - sentence_scores_[other][i];
    };
    return sentence_section(
        "Sentences in which " + all_.names[better] + " is better than " + all_.names[other],
        first_sentences(gain, 0.0), {better, other});
  }

  std::string worst_section() const {
    return sentence_section(
        "Sentences with the lowest scores",
        first_sentences([&](size_t i) { return -sentence_scores_[0][i]; }, -1e300), {0});
  }

  std::string sentence_section(const std::string& heading, const std::vector<size_t>& sentences,
                               const std::vector<size_t>& systems) const {
    if (sentences.empty()) return "";
    const Score score = all_.by_sentence.rule->score(all_.by_sentence.statistics[0][0]);
    std::vector<std::string> columns{"line"};
    if (!all_.sources.empty()) columns.emplace_back("source");
    columns.emplace_back("reference");
    for (const size_t s : systems) {
      columns.push_back(score.name);
      columns.push_back(all_.names[s]);
    }
    Rows rows;
    for (const size_t i : sentences) {
      std::vector<TableCell>& row = rows.emplace_back();
      row.push_back(std::to_string(all_.numbers[i]));
      if (!all_.sources.empty()) row.push_back(reporting::shown_text(all_.sources[i]));
      row.push_back(reporting::shown_text(all_.reference[i]));
      for (const size_t s : systems) {
        row.push_back(number(sentence_scores_[s][i], score.more_digits));
        row.push_back(reporting::shown_text(all_.hypotheses[s][i]));
      }
    }
    return reporting::table_section(heading, columns, rows, TableKind::kText);
  }

  static std::vector<reporting::Point> points_of(const Scores& scores) {
    std::vector<reporting::Point> points;
    for (const double score : scores) points.push_back({static_cast<double>(points.size()), score});
    return points;
  }

  static std::string chart_section(const std::string& figures) {
    return figures.empty() ? "" : "<section class='charts'>\n" + figures + "</section>\n";
  }

  const ComparedSystems& all_;
  NumberedTexts texts_;
  std::vector<Scores> sentence_scores_;  // by system
};

}  // namespace

std::string systems_page(const std::string& title, const ComparedSystems& systems) {
  return reporting::report_page(title, SystemsPage(systems).body());
}

}  // namespace dietmt::metrics
