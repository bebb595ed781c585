#include "tools/translate_options.h"

#include <algorithm>
#include <array>

#include "common/error.h"
#include "data/text/language_codes.h"
#include "nmt/alignment/kept_kinds.h"
#include "nmt/translation/term_encoder.h"
#include "nmt/translation/tsv_columns.h"
#include "tools/output_problems.h"
#include "tools/unused_options.h"

namespace dietmt::tools {
namespace {

constexpr int64_t kSamples = 100;  // of minimum Bayes risk

// How many hypotheses the search must find.
void settle_candidates(TranslateOptions& o, std::vector<std::string>& problems) {
  o.search.nbest = o.nbest;
  if (o.mbr.utility == "none") {
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

// What is wrong with --input-format tsv.
std::vector<std::string> table_problems(const TranslateOptions& o) {
  std::vector<std::string> problems;
  if (o.input_format != "tsv") {
    if (!o.columns.empty()) problems.emplace_back("--columns needs --input-format tsv");
    return problems;
  }
  if (o.json || o.nbest > 1)
    problems.emplace_back(
        "--input-format tsv writes one translation into a column: leave out --json and --nbest");
  try {
    if (!o.columns.empty()) nmt::TsvColumns::named(o.columns);
  } catch (const ConfigError& error) {
    problems.push_back(std::string("--columns: ") + error.what());
  }
  return problems;
}

}  // namespace

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
          R"("prefix", "terms": {"house": "Haus"}, "avoid": ["Heim"]}; only source must be there. )"
          "tsv: tab-separated columns, named by the first line; those called source, "
          "source_language, target_language, tag and prefix are read, and all are written, with "
          "translation (and score, alignment) as a new column",
          {.choices = {"text", "json", "tsv"}})
      .add("columns", &o.columns, "NAME,NAME",
           "names of the columns of --input-format tsv, if the first line is text to translate; "
           "a column that is not read needs no name (source,,target_language)")
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
      .add("quality-model", &o.quality_model, "DIR",
           "COMET or MetricX model that needs no references, such as COMETKiwi, written by 'dietmt "
           "import': "
           "adds its estimate as \"quality\" to each translation of --json")
      .add("flush", &o.flush, "",
           "translate each line as soon as it arrives (for dialogue or endless input; always when "
           "lines are typed on a terminal)");
  bind_search(table, o.search);
  bind_mbr(table.group("Minimum Bayes risk"), o.mbr);
  table
      .add("mbr-candidates", &o.mbr_candidates, "N",
           "candidates per line, from beam search (0: the beam size) or drawn by --sample "
           "(0: 100)",
           candidates)
      .add("mbr-exact", &o.mbr_exact, "N",
           "compare only the N candidates that a cheap estimate ranks best with all others; "
           "0: all; not with --mbr comet",
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

std::vector<std::string> problems_of(const OptionTable& table, TranslateOptions& o) {
  std::vector<std::string> problems;
  settle_candidates(o, problems);
  for (std::string& problem : mbr_problems(o.mbr)) problems.push_back(std::move(problem));
  if (o.mbr.utility == "comet" && o.mbr_exact > 0)
    problems.emplace_back("--mbr-exact is for --mbr chrf and bleu");
  if (!o.quality_model.empty() && !o.json) problems.emplace_back("--quality-model needs --json");
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
  if (o.input_format != "text" && !(o.prefix.empty() && o.source_tags.empty()))
    problems.push_back("--input-format " + o.input_format +
                       " has the prefix and tag of each line: leave out --prefix and "
                       "--source-tags");
  for (std::string& problem : table_problems(o)) problems.push_back(std::move(problem));
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
  if (o.split_sentences) {
    const std::string given = *o.split_sentences;
    o.split_sentences = data::known_language(given);
    if (!o.split_sentences) problems.push_back("--split-sentences: '" + given + "' is no language");
  }
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

}  // namespace dietmt::tools
