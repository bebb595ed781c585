// dietmt translate: lines in, lines out.

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>

#include "common/error.h"
#include "common/options.h"
#include "common/process.h"
#include "common/text_io.h"
#include "common/trimmed.h"
#include "data/text/glossary.h"
#include "nmt/translation/avoided_ends.h"
#include "nmt/translation/line_tokens.h"
#include "nmt/translation/line_writer.h"
#include "nmt/translation/translation_stream.h"
#include "nmt/translation/translator.h"
#include "tools/commands.h"
#include "tools/line_progress.h"
#include "tools/translate_options.h"
#include "tools/translation_format.h"

namespace dietmt::tools {
namespace {

// Alignments would be those of another text.
nmt::KeptKinds kept_kinds(const TranslateOptions& o) {
  const bool applies = o.alignment == "none" && o.then.empty();
  return applies ? nmt::kept_kinds_from(o.keep) : nmt::KeptKinds();
}

// What ranks translations, and what estimates their quality.
struct Judges {
  std::optional<nmt::BayesRiskChoice> choice;
  std::optional<LearnedMetric> quality;
};

Judges load_judges(const TranslateOptions& o, const std::vector<std::string>& arguments) {
  Judges judges{.choice = bayes_risk_choice(o.mbr, o, "translate", arguments), .quality = {}};
  if (judges.choice) {
    judges.choice->risk.exact = o.mbr_exact;
    judges.choice->nbest = o.nbest;
  }
  if (o.quality_model.empty()) return judges;
  LearnedMetricOptions options = learned_metric_options(o, o.quality_model);
  options.option = "--quality-model";
  options.without_references = "choose one that reads none";
  judges.quality = learned_metric(options, "translate", arguments);
  return judges;
}

// One for each translation of the lines, one after another; empty without --quality-model.
std::vector<double> qualities_of(std::span<const nmt::TranslatedLine> lines,
                                 const TranslationForm& form,
                                 const std::optional<LearnedMetric>& model) {
  if (!model) return {};
  std::vector<std::string> sources, texts;
  for (const nmt::TranslatedLine& line : lines) {
    for (const nmt::LineResult& found : line.translations) {
      sources.push_back(line.source);
      texts.push_back(translation_text(found, form));
    }
  }
  return model->quality(sources, texts);
}

void require_alignment(const TranslateOptions& o, const nmt::LoadedDecoder& model) {
  if (!o.search.needs_attention() || model.decoder->aligns()) return;
  throw ConfigError(std::string(o.markup             ? "--markup"
                                : o.search.alignment ? "--alignment"
                                                     : "--coverage-penalty") +
                    " needs attention to source tokens, but this model compresses the keys of "
                    "cross-attention: leave it out");
}

// Lines that somebody types are answered one by one.
bool is_typed(const TranslateOptions& o) { return o.input == "-" && ::isatty(STDIN_FILENO) == 1; }

std::unique_ptr<LineReader> open_side_text(const std::string& path) {
  if (path.empty()) return nullptr;
  return std::make_unique<LineReader>(nmt::open_text(path));
}

std::vector<std::string> avoided_in(const std::string& file) {
  std::vector<std::string> texts;
  if (file.empty()) return texts;
  LineReader lines = nmt::open_text(file);
  for (std::string line; lines.next(line);)
    if (!trimmed(line, " ").empty()) texts.push_back(line);
  try {
    nmt::check_avoided(texts);
  } catch (const DataError& error) {
    throw DataError(file + ": " + error.what());
  }
  return texts;
}

std::optional<nmt::TsvColumns> columns_of(const TranslateOptions& o, LineReader& input) {
  if (o.input_format != "tsv") return std::nullopt;
  return o.columns.empty() ? nmt::TsvColumns::read(input) : nmt::TsvColumns::named(o.columns);
}

// Opens all inputs before it loads the models. `load_first`: if there are two; else empty.
void translate(const TranslateOptions& o, const Judges& judges, const DecoderSource& load_first,
               const DecoderSource& load) {
  LineReader input = nmt::open_text(o.input);
  const std::optional<nmt::TsvColumns> columns = columns_of(o, input);
  const std::unique_ptr<LineReader> prefixes = open_side_text(o.prefix);
  const std::unique_ptr<LineReader> tags = open_side_text(o.source_tags);
  const data::Glossary glossary =
      o.glossary.empty() ? data::Glossary() : data::Glossary::read(o.glossary);
  std::optional<nmt::Translator> pivot;
  if (load_first) pivot.emplace(load_first(), o.search.for_pivot());
  nmt::LoadedDecoder loaded = load();
  nmt::SearchOptions search = o.search;
  if (o.letters == "auto" && !pivot && loaded.decoder->aligns()) search.alignment = true;
  const nmt::Translator translator(std::move(loaded), search);
  require_alignment(o, translator.model());
  nmt::LineWriter output(o.output);

  if (is_typed(o)) spdlog::info("type a line and press Enter; Ctrl+D on an empty line ends");
  LineProgress progress(o.input);
  const TranslationForm form{.nbest = o.nbest,
                             .scores = o.scores,
                             .json = o.json,
                             .tsv = columns.has_value(),
                             .remove_bpe = o.remove_bpe,
                             .alignment = nmt::alignment_from_name(o.alignment),
                             .missing_terms = !o.glossary.empty() || o.input_format == "json",
                             .missing_copies = o.check == "copies",
                             .pivot = !o.then.empty()};
  if (columns && !columns->header().empty()) output.write(columns->header() + added_columns(form));
  const auto emit = [&](std::span<const nmt::TranslatedLine> lines) {
    const std::vector<double> qualities = qualities_of(lines, form, judges.quality);
    std::span<const double> rest = qualities;
    for (const nmt::TranslatedLine& line : lines) {
      const auto own = rest.first(std::min(rest.size(), line.translations.size()));
      output.write(formatted(line, form, own));
      rest = rest.subspan(own.size());
      warn_of_problems(line);
    }
    return output.flush();
  };
  nmt::translate_stream(
      translator, input,
      {.line = {.languages = o.languages,
                .glossary = o.glossary.empty() ? nullptr : &glossary,
                .avoid = avoided_in(o.avoid),
                .markup = o.markup,
                .keep = kept_kinds(o),
                .alignment = form.alignment,
                .check_copies = form.missing_copies,
                .restores_case = o.letters == "auto"},
       .split = o.split_sentences,
       .json = o.input_format == "json",
       .tsv = columns ? &*columns : nullptr,
       .prefixes = prefixes.get(),
       .tags = tags.get(),
       .before = pivot ? &*pivot : nullptr,
       .choose = choice_among_hypotheses(judges.choice, *translator.model().target_tokenizer),
       .guard = nmt::guard_from_name(o.guard),
       .line_by_line = o.flush || is_typed(o)},
      emit, [&](int64_t lines) { progress.add(lines); });
  output.commit();
}

}  // namespace

int run_translate(const std::vector<std::string>& arguments) {
  TranslateOptions o;
  OptionTable table = option_table(o);
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  take_search_of_model(table, o.then.empty() ? o.models : o.then, o.search);
  table.check(problems_of(table, o));
  if (nmt::is_file_output(o.output))
    explain_interruption("dietmt translate: interrupted; " + o.output +
                         " was not written: it appears only when the translation is complete");
  const Judges judges = load_judges(o, arguments);
  if (o.then.empty()) {
    translate(o, judges, {}, decoder_source(o, "translate", arguments));
    return 0;
  }
  const DecoderSource first = decoder_source(o, "translate", arguments);
  DecodingOptions second = o;
  second.models = o.then;
  second.shortlist = o.then_shortlist;
  translate(o, judges, first, decoder_source(second, "translate", arguments));
  return 0;
}

}  // namespace dietmt::tools
