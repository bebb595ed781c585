// dietmt translate: lines in, lines out.

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <array>
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
#include "nmt/translation/term_encoder.h"
#include "nmt/translation/translation_stream.h"
#include "nmt/translation/translator.h"
#include "tools/commands.h"
#include "tools/decoding_options.h"
#include "tools/line_progress.h"
#include "tools/output_problems.h"
#include "tools/translation_format.h"
#include "tools/unused_options.h"

namespace dietmt::tools {
namespace {

struct TranslateOptions : DecodingOptions {
  std::string input = "-";
  std::string output = "-";
  std::string input_format = "text";
  std::string prefix;
  std::string glossary;
  std::string avoid;
  std::string source_tags;
  std::string alignment = "none";
  bool markup = false;
  std::string keep = "plain";
  std::string check = "none";
  std::string guard = "off";
  std::string letters = "keep";
  std::optional<std::string> split_sentences;
  bool json = false;
  bool scores = false;
  bool flush = false;
  bool remove_bpe = false;
  std::vector<std::string> then;
  std::string then_shortlist;
  std::string mbr = "none";
  int64_t mbr_candidates = 0;  // 0: as many as the beam, or kSamples
  int64_t mbr_exact = 0;       // 0: all
  int64_t nbest = 1;
};

constexpr int64_t kSamples = 100;  // of minimum Bayes risk

OptionTable option_table(TranslateOptions& o) {
  const OptionRule candidates{.least = 0,
                              .most = nmt::search_option(&nmt::SearchOptions::nbest).rule.most};
  OptionTable table("translate", "--model DIR[,DIR...] [[--input] FILE]",
                    "Translates text line by line and writes one line for each input line, in "
                    "order. Lines end with LF or CR LF; what a line has beyond 1 MiB is cut "
                    "off. Warnings name each line that is cut or repaired.");
  table.group("Text");
  bind_model(table, o.models);
  table.add("input", &o.input, "FILE", "source text: plain, compressed or - (standard input)")
      .add("output", &o.output, "FILE",
           "translations, or - (standard output); with --nbest above 1 as `line ||| text ||| "
           "score`, "
           "lines counted from 0; a file appears when it is complete, and FILE.gz is compressed")
      .add(
          "input-format", &o.input_format, "",
          R"(json: each line is an object {"source", "source_language", "target_language", "tag", )"
          R"("prefix", "terms": {"house": "Haus"}, "avoid": ["Heim"]}; only source must be there)",
          {.choices = {"text", "json"}})
      .add("prefix", &o.prefix, "FILE",
           "first words of each translation, one line per input line; an empty line forces "
           "nothing")
      .add("glossary", &o.glossary, "FILE",
           "terms that translations must contain, one per line: source term, tab, target "
           "term; a warning names each one that is missing")
      .add("avoid", &o.avoid, "FILE",
           "words and phrases that no translation may contain, one per line");
  bind_source_lines(table, o);
  table.add("source-tags", &o.source_tags, "FILE",
            "tag of each line instead of --source-tag, exactly one for each input line; an empty "
            "line: none");
  table.add("split-sentences", &o.split_sentences, "LANG",
            "translate each line sentence by sentence, by the rules of its language (en, pt-BR); "
            "without this option only a line that is longer than --max-source-length is split");
  add_search_option(table.group("Result"), &nmt::SearchOptions::nbest, &o.nbest);
  table.add("scores", &o.scores, "", "write the score and a tab before each translation")
      .add("alignment", &o.alignment, "",
           "write ` ||| ` and a word alignment after each translation. hard: pairs of words "
           "SOURCE-TARGET, counted from 0; soft: for each target token its attention to all source "
           "tokens, separated by commas",
           {.choices = {"none", "hard", "soft"}})
      .add("markup", &o.markup, "",
           "translate without tags and placeholders (<b>, {0}, %s, $name$), then put each "
           "of them back exactly once, next to the words it belongs to")
      .add("keep", &o.keep, "KINDS",
           "what a translation must contain as its line does: plain (the kinds " +
               nmt::kept_kind_names() +
               " except tags), all, none, or kinds separated by commas. A line whose translation "
               "lacks some of it is translated again as with --markup. Not with --alignment or "
               "--then")
      .add("remove-bpe", &o.remove_bpe, "",
           "for models of text that other BPE has cut: write whole words (newer, not new@@ er)")
      .add("check", &o.check, "",
           "copies: warn of each number, URL, e-mail address and name (USB, GitHub) in the "
           "source that is missing from the best translation",
           {.choices = {"none", "copies"}})
      .add("case", &o.letters, "",
           "auto: translate a line in CAPITALS or Title Case in the usual case, which models know, "
           "and write the translation in the case of the line; words in capitals keep them too",
           {.choices = {"keep", "auto"}})
      .add("guard", &o.guard, "", guard_help("warn of it"), {.choices = {"off", "report", "retry"}})
      .add(
          "json", &o.json, "",
          "write one JSON object per line: "
          R"({"source", "translations": [{"text", "score", "token_scores"}]}, )"
          R"(with --glossary also "missing_terms" of each translation, with --check copies )"
          R"("missing_copies", "guard": {"problem", "replaced"} of a line whose translation went )"
          R"(wrong, and "case": "capitals", "title" or "words" of a line that --case auto restored)")
      .add("flush", &o.flush, "",
           "translate each line as soon as it arrives (for dialogue or endless input; always when "
           "lines are typed on a terminal)");
  bind_search(table, o.search);
  table.group("Minimum Bayes risk")
      .add("mbr", &o.mbr, "",
           "choose the candidate most like the others: the one with the highest expected "
           "chrF or BLEU, which becomes its score",
           {.choices = {"none", "chrf", "bleu"}})
      .add("mbr-candidates", &o.mbr_candidates, "N",
           "candidates per line, from beam search (0: the beam size) or drawn by --sample "
           "(0: 100)",
           candidates)
      .add("mbr-exact", &o.mbr_exact, "N",
           "compare only the N candidates that a cheap estimate ranks best with all others; "
           "0: all",
           candidates);
  table.group("Two models")
      .add("then", &o.then, "DIR[,DIR...]",
           "second model, which translates the best translation of --model: pt to en, then "
           "en to de; search options and output apply to this one")
      .add("then-shortlist", &o.then_shortlist, "FILE", "lexical shortlist of --then");
  bind_sampling(table, o.search);
  bind_decoding_machine(table, o);
  table.positional("input")
      .basics({"input", "output", "nbest", "scores", "json", "flush", "beam", "length-penalty",
               "sample", "device", "weights", "shortlist", "workers", "threads"})
      .example("echo 'Good morning.' | dietmt translate --model model")
      .example("dietmt translate -m model test.en -o test.de -b 4");
  return table;
}

// How many hypotheses the search must find.
void settle_candidates(TranslateOptions& o, std::vector<std::string>& problems) {
  o.search.nbest = o.nbest;
  if (o.mbr == "none") {
    if (o.mbr_candidates > 0 || o.mbr_exact > 0)
      problems.emplace_back("--mbr-candidates and --mbr-exact need --mbr");
    return;
  }
  const int64_t usual =
      o.search.sample ? kSamples : std::min(o.search.beam, o.search.finished_to_end());
  o.search.nbest = o.mbr_candidates > 0 ? o.mbr_candidates : usual;
  if (!o.search.sample && o.search.nbest > usual) {
    problems.emplace_back(
        "--mbr-candidates is larger than --beam, or --beam * --patience: lower it, or draw "
        "candidates "
        "with --sample");
    o.search.nbest = usual;
  }
  if (o.nbest > o.search.nbest)
    problems.emplace_back(
        "--nbest is larger than the number of candidates: raise --mbr-candidates");
}

std::vector<std::string> problems_of(const OptionTable& table, TranslateOptions& o) {
  std::vector<std::string> problems;
  settle_candidates(o, problems);
  for (std::string& problem : decoding_problems(o)) problems.push_back(std::move(problem));
  if (o.then.empty() && !o.then_shortlist.empty())
    problems.emplace_back("--then-shortlist needs --then");
  if (o.json && o.scores) problems.push_back("--json includes the scores: leave out --scores");
  if (o.nbest > 1 && o.scores && !o.json)
    problems.push_back("--nbest includes the scores: leave out --scores");
  const std::array inputs = {&o.input, &o.prefix, &o.glossary, &o.avoid, &o.source_tags};
  if (std::ranges::count(inputs, "-", [](const std::string* one) { return *one; }) > 1)
    problems.emplace_back(
        "only one of --input, --prefix, --glossary, --avoid and --source-tags can be standard "
        "input");
  if (!o.languages.source_tag.empty() && !o.source_tags.empty())
    problems.emplace_back("--source-tags has the tag of each line: leave out --source-tag");
  if (o.input_format == "json" && !(o.prefix.empty() && o.source_tags.empty()))
    problems.emplace_back(
        "--input-format json has the prefix and tag of each line: leave out --prefix and "
        "--source-tags");
  if (!o.search.sample) refuse_unused(table, {"seed"}, "--sample", problems);
  const std::string glossary = o.glossary.empty() ? "" : nmt::glossary_problem(o.search);
  if (!glossary.empty()) problems.push_back(glossary);
  for (const std::string& problem :
       output_problems(o.output, {{"--input", o.input},
                                  {"--prefix", o.prefix},
                                  {"--glossary", o.glossary},
                                  {"--avoid", o.avoid},
                                  {"--source-tags", o.source_tags},
                                  {"--shortlist", o.shortlist},
                                  {"--then-shortlist", o.then_shortlist}}))
    problems.push_back(problem);
  o.search.alignment = o.markup || o.alignment != "none";
  if (o.markup && o.alignment != "none")
    problems.push_back("--markup moves words: leave out --alignment");
  if (o.split_sentences && o.alignment != "none")
    problems.push_back("--alignment is that of one sentence: leave out --split-sentences");
  if (o.letters == "auto" && o.remove_bpe)
    problems.push_back("--case auto needs whole words: leave out --remove-bpe");
  if (o.remove_bpe && o.alignment != "none")
    problems.push_back("--remove-bpe joins the words of --alignment: leave out one of them");
  if (o.search.alignment && !o.then.empty())
    problems.push_back("--alignment and --markup need one model: leave out --then");
  try {
    nmt::kept_kinds_from(o.keep);
  } catch (const ConfigError& error) {
    problems.push_back(std::string("--keep: ") + error.what());
  }
  return problems;
}

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

// Opens all inputs before it loads the models. `load_first`: if there are two; else empty.
void translate(const TranslateOptions& o, const DecoderSource& load_first,
               const DecoderSource& load) {
  LineReader input = nmt::open_text(o.input);
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
                             .remove_bpe = o.remove_bpe,
                             .alignment = nmt::alignment_from_name(o.alignment),
                             .missing_terms = !o.glossary.empty() || o.input_format == "json",
                             .missing_copies = o.check == "copies",
                             .pivot = !o.then.empty()};
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
