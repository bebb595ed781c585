// dietmt translate: lines in, lines out.

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <memory>
#include <optional>

#include "common/error.h"
#include "common/options.h"
#include "common/process.h"
#include "common/text_io.h"
#include "common/trimmed.h"
#include "data/text/glossary.h"
#include "metrics/minimum_bayes_risk.h"
#include "nmt/translation/avoided_ends.h"
#include "nmt/translation/bayes_risk.h"
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

std::function<void(std::vector<nmt::NBest>&)> choice_of(const TranslateOptions& o,
                                                        const data::Tokenizer& tokenizer) {
  if (o.mbr == "none") return {};
  const nmt::BayesRiskChoice choice{
      .risk = {.utility = metrics::utility_from_name(o.mbr), .exact = o.mbr_exact},
      .samples = o.search.sample,
      .nbest = o.nbest,
      .workers = o.search.workers};
  return [choice, &tokenizer](std::vector<nmt::NBest>& found) {
    nmt::choose_by_bayes_risk(found, tokenizer, choice);
  };
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
void translate(const TranslateOptions& o, const DecoderSource& load_first,
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
    for (const nmt::TranslatedLine& line : lines) {
      output.write(formatted(line, form));
      warn_of_problems(line);
    }
    return output.flush();
  };
  nmt::translate_stream(translator, input,
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
                         .choose = choice_of(o, *translator.model().target_tokenizer),
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
  if (o.then.empty()) {
    translate(o, {}, decoder_source(o, "translate", arguments));
    return 0;
  }
  const DecoderSource first = decoder_source(o, "translate", arguments);
  DecodingOptions second = o;
  second.models = o.then;
  second.shortlist = o.then_shortlist;
  translate(o, first, decoder_source(second, "translate", arguments));
  return 0;
}

}  // namespace dietmt::tools
