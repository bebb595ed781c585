// dietmt clean: removes pairs from parallel text that would harm a model.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "common/atomic_file.h"
#include "common/error.h"
#include "common/options.h"
#include "common/process.h"
#include "data/cleaning/cleaner.h"
#include "data/cleaning/rules_file.h"
#include "nmt/translation/line_writer.h"
#include "reporting/progress_bar.h"
#include "tools/clean_files.h"
#include "tools/clean_scores.h"
#include "tools/commands.h"

namespace dietmt::tools {
namespace {

OptionTable option_table(CleanOptions& o) {
  OptionTable table(
      "clean", "SOURCE TARGET --output FILE...",
      "Cleans parallel text: removes pairs that are empty, too long, broken, in "
      "another language, no translations of each other or there twice, and reports "
      "what each rule removed. Pairs that are kept stay as they are, in their order.");
  table.group("Text")
      .add("input", &o.inputs, "FILE...",
           "two texts, whose lines are translations of each other, or one file with both sides: "
           "tab-separated, JSON lines or TMX; plain, gzip, bzip2, xz or zstd; text.tsv:2 is a "
           "column")
      .add("format", &o.format, "",
           "of one input; auto: by its name, such as text.tsv.gz and text.jsonl",
           {.choices = {"auto", "tsv", "jsonl", "tmx"}})
      .add("columns", &o.columns, "SOURCE,TARGET",
           "where one input has the sides: numbers of columns, or names of JSON fields, such as "
           "translation.en,translation.de; default: 1,2 or source,target")
      .add("score-column", &o.score_column, "COLUMN", "where it has a score, for ScoreFilter")
      .add("output", &o.outputs, "FILE...",
           "two files for the sides; or a FILE.tsv or - for both; or a prefix, to which the ends "
           "of the names of two inputs are added; files appear when they are complete, and FILE.gz "
           "is compressed. One output for one input gets its lines as they are")
      .add("removed", &o.removed, "FILE",
           "removed pairs: rule, source and target, separated by tabs");
  table.group("Rules")
      .add("rules", &o.rules, "FILE",
           "rules in YAML, or a configuration of OpusFilter or OpusCleaner; default: those that "
           "--print-rules prints")
      .add("source-language", &o.languages.source, "CODE",
           "language of the sources, for rules about languages and scripts, and for TMX")
      .add("target-language", &o.languages.target, "CODE", "language of the targets")
      .add("score-model", &o.score_model, "DIR",
           "translation model whose cross-entropies the rule CrossEntropyFilter tests")
      .add("score-model-reverse", &o.score_model_reverse, "DIR",
           "translation model from target to source, for the same rule")
      .add("align-pairs", &o.align_pairs, "N",
           "pairs at the beginning of the text that the rule WordAlignFilter learns from",
           {.least = 1, .most = 100'000'000})
      .add("print-rules", &o.print_rules, "", "print the default rules, for a file of your own")
      .add("list-rules", &o.list_rules, "", "print all rules with their parameters and defaults");
  table.group("Run")
      .add("report", &o.reports, "FILE...",
           "counts and examples of each rule, as FILE.html or FILE.json")
      .add("dry-run", &o.dry_run, "N", "only report on the first N pairs",
           {.least = 1, .most = 1e15})
      .add("threads", &o.threads, "N", "threads; 0: one per core; the result does not change",
           ranges::kThreads);
  table.positional("input")
      .basics({"input", "output", "removed", "rules", "source-language", "target-language",
               "report", "dry-run", "print-rules", "list-rules"})
      .example("dietmt clean train.en train.de --output clean --report clean.html");
  return table;
}

// Passes pairs on to the files of the command.
class CleanOutput {
 public:
  CleanOutput(const CleanOptions& o, const OutputFiles& files) : options_(o) {
    if (!files.source.empty()) source_.emplace(files.source);
    if (!files.target.empty()) target_.emplace(files.target);
    if (!files.pairs.empty()) pairs_.emplace(files.pairs);
    keeps_lines_ = files.keeps_lines;
    if (!o.removed.empty()) removed_.emplace(o.removed);
    for (const std::string& report : o.reports)
      reports_.push_back(std::make_unique<AtomicFile>(report));
  }

  data::PairSink sink() {
    return {.keep =
                [this](const auto& pair, auto line) {
                  show_progress();
                  return keep(pair, line);
                },
            .remove =
                [this](const std::string& rule, const auto& pair) {
                  show_progress();
                  return !removed_ || removed_->write(rule + '\t' + std::string(cells(pair)));
                }};
  }

  void commit(const data::CleaningReport& report) {
    for (std::optional<nmt::LineWriter>* file : {&source_, &target_, &pairs_, &removed_})
      if (*file) (*file)->commit();
    bar_.finish();
    for (size_t i = 0; i < reports_.size(); ++i) {
      reports_[i]->write(options_.reports[i].ends_with(".json")
                             ? report.json().dump(1) + '\n'
                             : report.page("Cleaning of " + options_.inputs.front()));
      reports_[i]->commit();
    }
  }

 private:
  void show_progress() {
    constexpr int64_t kPairs = 10'000;
    if (++pairs_seen_ % kPairs == 0) bar_.show(pairs_seen_, "pairs");
  }

  bool keep(const data::SplitPair& pair, std::string_view line) {
    if (pairs_) return pairs_->write(keeps_lines_ ? line : cells(pair));
    if (!source_) return true;  // dry run
    const bool is_read = source_->write(pair.source);
    return target_->write(pair.target) && is_read;
  }

  /// SOURCE<tab>TARGET; tabs inside become spaces.
  std::string_view cells(const data::SplitPair& pair) {
    line_.assign(pair.source);
    std::ranges::replace(line_, '\t', ' ');
    const size_t second = line_.size() + 1;
    line_ += '\t';
    line_ += pair.target;
    std::replace(line_.begin() + static_cast<std::ptrdiff_t>(second), line_.end(), '\t', ' ');
    return line_;
  }

  const CleanOptions& options_;
  std::optional<nmt::LineWriter> source_, target_, pairs_, removed_;
  std::vector<std::unique_ptr<AtomicFile>> reports_;
  bool keeps_lines_ = false;
  std::string line_;
  reporting::ProgressBar bar_{0};
  int64_t pairs_seen_ = 0;
};

// Otherwise the format or the columns are wrong.
void require_readable(const data::CleaningReport& report, const CleanOptions& o) {
  const data::RuleCount& last = report.rules.back();
  if (report.pairs > 0 && last.rule == data::kUnreadable && last.removed == report.pairs)
    throw DataError(o.inputs.front() +
                    ": no line has both sides; --format and --columns say where they are");
}

}  // namespace

int run_clean(const std::vector<std::string>& arguments) {
  CleanOptions options;
  OptionTable table = option_table(options);
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  if (options.list_rules || options.print_rules) {
    table.check();
    std::cout << (options.list_rules ? data::rule_kinds_text()
                                     : data::default_rules_text(options.languages));
    return 0;
  }
  table.check(clean_problems(options));
  options.languages.has_scores = !options.score_column.empty();
  options.languages.has_score_model = !options.score_model.empty();
  options.languages.has_reverse_model = !options.score_model_reverse.empty();
  const std::vector<data::Rule> rules = options.rules.empty()
                                            ? data::default_rules(options.languages)
                                            : data::read_rules(options.rules, options.languages);
  const data::PairScorer model = model_scorer(options, rules);
  const OutputFiles files = output_files(options);
  const std::unique_ptr<data::PairSource> source = open_pairs(options);
  CleanOutput output(options, files);
  data::CleaningOptions cleaning{.rules = rules,
                                 .threads = options.threads > 0 ? options.threads : usable_cores()};
  cleaning.directory = files.directory;
  cleaning.aligner = aligner_scorer(options, rules);
  cleaning.model = model;
  if (options.dry_run) cleaning.most_pairs = *options.dry_run;
  const data::CleaningReport report = data::clean(*source, cleaning, output.sink());
  require_readable(report, options);
  output.commit(report);
  spdlog::info("{}", report.table());
  return 0;
}

}  // namespace dietmt::tools
