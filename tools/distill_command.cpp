// dietmt distill: sequence-level knowledge distillation (Kim and Rush 2016).
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>

#include "common/error.h"
#include "common/files.h"
#include "common/options.h"
#include "common/text_io.h"
#include "metrics/bleu.h"
#include "metrics/chrf.h"
#include "nmt/translation/distilled_corpus.h"
#include "nmt/translation/line_tokens.h"
#include "nmt/translation/line_writer.h"
#include "nmt/translation/translation_stream.h"
#include "nmt/translation/translator.h"
#include "tools/commands.h"
#include "tools/decoding_options.h"
#include "tools/line_progress.h"
#include "tools/unused_options.h"

namespace dietmt::tools {
namespace {

struct DistillOptions : DecodingOptions {
  std::string source, reference;
  std::string output_source, output_target;
  std::optional<int64_t> nbest;
  std::string metric = "bleu";
  std::string tokenizer = "13a";
};

OptionTable option_table(DistillOptions& o) {
  OptionTable table("distill",
                    "--model DIR[,DIR...] --source FILE --output-source FILE --output-target FILE",
                    "Sequence-level knowledge distillation: translates the source side of training "
                    "text with a teacher and writes source and translations as training text for "
                    "a smaller or faster student.");
  table.group("Text");
  bind_model(table, o.models);
  table
      .add("source", &o.source, "FILE", "source side of the training text: plain or compressed",
           {.required = true})
      .add("output-source", &o.output_source, "FILE", "copy of the source lines for the student",
           {.required = true})
      .add("output-target", &o.output_target, "FILE",
           "their translations, line by line; both files appear when they are complete, and the "
           "same command resumes after a stop; FILE.gz is compressed",
           {.required = true});
  bind_source_lines(table, o);
  table.group("Choice")
      .add(
          "nbest", &o.nbest, "N",
          "translations per line that --reference chooses from; default: the beam size, or as many "
          "as --patience finishes",
          nmt::search_option(&nmt::SearchOptions::nbest).rule)
      .add("reference", &o.reference, "FILE",
           "target side of the training text: keep the translation closest to it (sequence-level "
           "interpolation) instead of the one with the best score")
      .add("metric", &o.metric, "", "sentence-level similarity to the reference",
           {.choices = {"bleu", "chrf"}})
      .add("tokenize", &o.tokenizer, "", "tokenizer of BLEU",
           {.choices = {"13a", "intl", "char", "zh", "none"}});
  bind_search(table, o.search);
  bind_decoding_machine(table, o);
  table.basics({"source-tag", "reference", "nbest", "beam", "device", "weights", "workers"})
      .example(
          "dietmt distill --model teacher --source train.en --output-source student.en "
          "--output-target student.de");
  return table;
}

std::unique_ptr<const metrics::Metric> metric_of(const DistillOptions& o) {
  if (o.metric == "chrf") return std::make_unique<metrics::Chrf>(metrics::ChrfOptions{});
  metrics::BleuOptions bleu;
  bleu.tokenizer = metrics::bleu_tokenizer_from_name(o.tokenizer);
  bleu.effective_order = true;
  return std::make_unique<metrics::Bleu>(bleu);
}

// An output must be neither an input nor the other output.
std::vector<std::string> shared_files(const DistillOptions& o) {
  std::vector<std::string> problems;
  const std::pair<const char*, const std::string*> texts[] = {{"--source", &o.source},
                                                              {"--reference", &o.reference},
                                                              {"--output-source", &o.output_source},
                                                              {"--output-target", &o.output_target},
                                                              {"--shortlist", &o.shortlist}};
  for (const auto& [written, output] : {texts[2], texts[3]}) {
    for (const auto& [name, file] : texts) {
      if (file == output || file->empty() || output->empty()) continue;
      const bool is_written = file == &o.output_source || file == &o.output_target;
      const bool same_file =
          *file != "-" && nmt::is_file_output(*output) && is_same_file(*file, *output);
      if (same_file || (is_written && *file == *output))
        problems.push_back(std::string(written) + " and " + name + " are one file: " + *file);
    }
  }
  return problems;
}

std::vector<std::string> problems_of(DistillOptions& o, const OptionTable& table) {
  const int64_t all = std::min(o.search.beam, o.search.finished_to_end());
  o.search.nbest = o.nbest.value_or(o.reference.empty() ? 1 : all);
  std::vector<std::string> problems = decoding_problems(o);
  for (const std::string& problem : shared_files(o)) problems.push_back(problem);
  if (o.reference.empty())
    refuse_unused(table, {"nbest", "metric", "tokenize"}, "--reference", problems);
  if (o.metric == "chrf" && table.changed("tokenize"))
    problems.emplace_back("--tokenize is for --metric bleu");
  if (!o.reference.empty() && !(nmt::can_reread(o.source) && nmt::can_reread(o.reference)))
    problems.emplace_back(
        "--source and --reference must be regular files, because they are read twice");
  return problems;
}

// Chooses the translation to keep. Of equally close ones the first, which the model prefers.
class Choice {
 public:
  explicit Choice(const DistillOptions& o) : metric_(metric_of(o)) {
    if (o.reference.empty()) return;
    reference_ = std::make_unique<LineReader>(nmt::open_text(o.reference));
    const int64_t sources = nmt::count_lines(o.source), references = nmt::count_lines(o.reference);
    if (sources != references) {
      throw DataError(o.source + " has " + std::to_string(sources) + " lines, " + o.reference +
                      " has " + std::to_string(references));
    }
  }

  /// Leaves out the next `lines`.
  void skip(int64_t lines) {
    if (reference_) nmt::skip_lines(*reference_, lines);
  }

  const std::string& operator()(const nmt::TranslatedLine& line) {
    const std::string* best = &line.translations.front().text;
    if (!reference_) return *best;
    std::string reference;
    reference_->next(reference);
    nmt::clean_line(reference, *reference_);
    double highest = closeness(*best, reference);
    for (const nmt::LineResult& found : std::span(line.translations).subspan(1)) {
      const double score = closeness(found.text, reference);
      if (score <= highest) continue;
      highest = score;
      best = &found.text;
    }
    return *best;
  }

 private:
  double closeness(const std::string& text, const std::string& reference) const {
    return metric_->sentence_score(text, std::span(&reference, 1)).score;
  }

  std::unique_ptr<const metrics::Metric> metric_;
  std::unique_ptr<LineReader> reference_;
};

void distill(const DistillOptions& o, const DecoderSource& load, const std::string& settings) {
  LineReader input = nmt::open_text(o.source);
  Choice choose(o);
  const nmt::Translator translator(load(), o.search);
  const bool continued = nmt::can_reread(o.source) && nmt::is_file_output(o.output_source) &&
                         nmt::is_file_output(o.output_target);
  nmt::DistilledCorpus student(o.output_source, o.output_target, continued ? settings : "");
  const int64_t kept = student.lines();
  if (kept > 0) spdlog::info("resuming after line {}", kept);
  const std::vector<std::string> earlier =
      nmt::skip_lines(input, kept, translator.model().context.sentences);
  choose.skip(kept);

  LineProgress progress(o.source, kept);
  const auto emit = [&](std::span<const nmt::TranslatedLine> lines) {
    for (const nmt::TranslatedLine& line : lines) student.write(line.source, choose(line));
    return student.flush();
  };
  nmt::translate_stream(translator, input, {.line = {.languages = o.languages}, .earlier = earlier},
                        emit, [&](int64_t lines) { progress.add(lines); });
  student.commit();
  spdlog::info("wrote {} and {}: {} lines", o.output_source, o.output_target, progress.done());
}

}  // namespace

int run_distill(const std::vector<std::string>& arguments) {
  DistillOptions options;
  OptionTable table = option_table(options);
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  take_search_of_model(table, options.models, options.search);
  table.check(problems_of(options, table));
  const DecoderSource load = decoder_source(options, "distill", arguments);
  std::vector<std::string> inputs = {options.source, options.reference, options.shortlist};
  for (const std::string& model : nmt::model_directories(options.models)) inputs.push_back(model);
  distill(options, load, nmt::text_settings(table.resolved(), inputs));
  return 0;
}

}  // namespace dietmt::tools
