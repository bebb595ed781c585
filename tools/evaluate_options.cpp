// The options of `dietmt evaluate`, and which of them go together.
#include "tools/evaluate_options.h"

#include <algorithm>
#include <set>
#include <sstream>

#include "common/files.h"
#include "metrics/bleu_tokenizer.h"
#include "tools/unused_options.h"

namespace dietmt::tools {
namespace {

constexpr const char* kOneStandardInput = "only one file can be - (standard input)";

// Options that --task goes with.
constexpr const char* kOfTasks[] = {"reference", "task", "predictions", "language",
                                    "null-odds", "json", "score-only",  "digits"};

std::vector<std::string> problems_of_task(const OptionTable& table, const EvaluateOptions& o) {
  std::vector<std::string> problems;
  std::set<std::string> others;
  for (const auto& [name, value] : table.resolved())
    if (table.changed(name) && std::ranges::find(kOfTasks, name) == std::end(kOfTasks))
      others.insert(name);
  for (const std::string& name : others)
    problems.push_back("--" + name + " is for translations: leave out --task");
  if (o.predictions.empty()) problems.emplace_back("--task needs --predictions FILE");
  if (o.references.size() != 1) problems.emplace_back("--task needs one --reference");
  if (o.predictions.size() > 1 && !o.null_odds.empty())
    problems.emplace_back("--null-odds is for one file of --predictions");
  std::vector<std::string> inputs = o.predictions;
  inputs.insert(inputs.end(), o.references.begin(), o.references.end());
  inputs.push_back(o.null_odds);
  if (std::ranges::count(inputs, "-") > 1) problems.emplace_back(kOneStandardInput);
  return problems;
}

std::vector<std::string> problems_of_metrics(const OptionTable& table, const EvaluateOptions& o) {
  std::vector<std::string> problems;
  std::set<std::string> chosen;
  for (const std::string& name : metric_names(o)) {
    if (name != kComet && std::ranges::count(metrics::kMetricNames, name) == 0)
      problems.push_back("--metric has '" + name + "'; choose bleu, chrf, chrf++, ter or comet");
    chosen.insert(name == "chrf++" ? "chrf" : name);
  }
  const auto refuse = [&](const std::string& metric, std::initializer_list<const char*> options) {
    refuse_unused(table, options, "--metric " + metric, problems);
  };
  if (!chosen.contains("bleu"))
    refuse("bleu", {"smooth", "smooth-value", "max-order", "effective-order"});
  if (!splits_words(o))
    refuse("bleu or --report", {"tokenize", "subword-model", "mecab-dictionary"});
  if (!chosen.contains("chrf"))
    refuse("chrf", {"chrf-char-order", "chrf-word-order", "chrf-beta", "chrf-whitespace",
                    "chrf-eps-smoothing"});
  if (!chosen.contains("bleu") && !chosen.contains("chrf")) refuse("bleu or chrf", {"lowercase"});
  if (!chosen.contains("ter"))
    refuse("ter", {"ter-normalized", "ter-no-punct", "ter-asian-support", "ter-case-sensitive"});
  if (!chosen.contains(kComet))
    refuse(kComet, {"comet-model", "device", "threads", "batch-tokens"});
  if (!chosen.contains(kComet) && o.report.empty())
    refuse_unused(table, {"source"}, "--metric comet or --report", problems);
  return problems;
}

std::vector<std::string> problems_of_comet(const EvaluateOptions& o) {
  std::vector<std::string> problems;
  if (!has_comet(o)) return problems;
  if (o.comet_model.empty()) problems.emplace_back("--metric comet needs --comet-model DIR");
  if (o.source.empty()) problems.emplace_back("--metric comet needs --source FILE");
  if (o.references.size() > 1) problems.emplace_back("--metric comet takes one --reference");
  return problems;
}

std::vector<std::string> problems_of_report(const OptionTable& table, const EvaluateOptions& o) {
  std::vector<std::string> problems;
  const auto require = [&](bool holds, const std::string& problem) {
    if (!holds) problems.push_back(problem);
  };
  if (o.report.empty()) {
    refuse_unused(table, {"training"}, "--report", problems);
    return problems;
  }
  require(o.report.ends_with(".html"), "--report is " + o.report + "; it must end in .html");
  require(!o.references.empty(), "--report needs --reference FILE...");
  require(!o.evaluation.sentence_level && !o.document_level,
          "--report has intervals: leave out --sentence-level and --document-level");
  std::vector<std::string> inputs = {o.source, o.origins, o.documents};
  for (const auto* files : {&o.references, &o.hypotheses, &o.training})
    inputs.insert(inputs.end(), files->begin(), files->end());
  for (const std::string& file : inputs)
    require(file.empty() || file == "-" || !is_same_file(file, o.report),
            "--report and an input are one file: " + file);
  return problems;
}

}  // namespace

std::vector<std::string> metric_names(const EvaluateOptions& o) {
  std::vector<std::string> names;
  std::istringstream list(o.metrics);
  for (std::string name; std::getline(list, name, ',');) names.push_back(name);
  return names;
}

bool splits_words(const EvaluateOptions& o) {
  return !o.report.empty() || std::ranges::count(metric_names(o), "bleu") > 0;
}

bool has_comet(const EvaluateOptions& o) { return std::ranges::count(metric_names(o), kComet) > 0; }

bool has_subwords(const std::string& tokenizer) {
  return tokenizer == "spm" || tokenizer == "spBLEU-1K" || tokenizer.starts_with("flores");
}

OptionTable evaluate_table(EvaluateOptions& o) {
  metrics::EvaluationOptions& e = o.evaluation;
  OptionTable table(
      "evaluate",
      "[--reference FILE...] (--hypothesis FILE... | --task NAME --predictions FILE...)",
      "Scores translations with BLEU, chrF and TER, as sacreBLEU computes them, or with a COMET "
      "model. "
      "Files have one sentence per line, plain or compressed; - is standard input. With "
      "--task it scores predictions for SQuAD, GLUE and their relatives as the "
      "benchmarks' evaluation programs do.");
  table.group("Input")
      .add("reference", &o.references, "FILE...",
           "reference translations; several files: several references per sentence. With --task, "
           "the task's file with labels or answers")
      .add("hypothesis", &o.hypotheses, "FILE...", "translations, one file for each system")
      .add("metric", &o.metrics, "LIST",
           "comma-separated list of bleu, chrf, chrf++, ter and comet")
      .add("lowercase", &o.lowercase, "", "lower-case for BLEU and chrF (TER does so by default)");
  table.group("COMET")
      .add("comet-model", &o.comet_model, "DIR",
           "COMET model directory, written by 'dietmt import'")
      .add("source", &o.source, "FILE", "source sentences, which COMET reads and --report shows")
      .add("device", &o.device, "NAME", "device of COMET: cpu, cuda or cuda:I")
      .add("threads", &o.threads, "N", "threads of COMET; 0: one per core", ranges::kThreads)
      .add("batch-tokens", &o.batch_tokens, "N",
           "batch size of COMET in tokens; changes speed and memory, not scores",
           ranges::kBatchTokens);
  table.group("Choice of sentences")
      .add("origins", &o.origins, "FILE",
           "original language of each sentence, one per line; or, for --report, its domain or any "
           "other label")
      .add("origlang", &o.origin, "LANG",
           "score only sentences with this line in --origins; non-LANG: all others")
      .add("documents", &o.documents, "FILE", "document id of each sentence, one per line")
      .add("subset", &o.subset, "REGEX", "score only documents whose id matches this")
      .add("document-level", &o.document_level, "",
           "print one line per document: its id, then a column for each hypothesis and "
           "metric");
  table.group("BLEU")
      .add("tokenize", &o.tokenize, "",
           "tokenizer; ja-mecab and ko-mecab need MeCab and its dictionary on this system; spm, "
           "flores101, flores200 and spBLEU-1K need --subword-model",
           {.choices = {"13a", "intl", "char", "none", "zh", "ja-mecab", "ko-mecab", "spm",
                        "flores101", "flores200", "spBLEU-1K"}})
      .add("subword-model", &o.subword_model, "FILE",
           "sentencepiece model to tokenize with; for flores101, flores200 and spBLEU-1K the one "
           "that sacreBLEU downloads for them")
      .add("mecab-dictionary", &o.mecab_dictionary, "DIR",
           "dictionary of MeCab; default: the one in the system's settings")
      .add("smooth", &o.smooth, "", "smoothing of n-gram orders without a match",
           {.choices = {"none", "floor", "add-k", "exp"}})
      .add("smooth-value", &o.smooth_value, "X",
           "value for --smooth floor (default 0.1) or add-k (default 1)",
           metrics::metric_rules::kSmoothValue)
      .add("max-order", &o.max_order, "N", "longest n-gram", metrics::metric_rules::kMaxOrder)
      .add("effective-order", &o.effective_order, "",
           "ignore orders longer than the hypothesis; --sentence-level implies it");
  table.group("chrF")
      .add("chrf-char-order", &o.chrf.char_order, "N", "longest character n-gram",
           metrics::metric_rules::kChrfOrder)
      .add("chrf-word-order", &o.chrf.word_order, "N", "longest word n-gram; 2: chrF++",
           metrics::metric_rules::kChrfOrder)
      .add("chrf-beta", &o.chrf.beta, "N", "weight of recall relative to precision",
           metrics::metric_rules::kChrfBeta)
      .add("chrf-whitespace", &o.chrf.whitespace, "", "keep whitespace in character n-grams")
      .add("chrf-eps-smoothing", &o.chrf.eps_smoothing, "", "average F scores as chrF++.py does");
  table.group("TER")
      .add("ter-normalized", &o.ter.normalized, "", "unescape entities and split off punctuation")
      .add("ter-no-punct", &o.ter.no_punct, "", "remove punctuation")
      .add("ter-asian-support", &o.ter.asian_support, "",
           "apply the two options above to CJK characters too")
      .add("ter-case-sensitive", &o.ter.case_sensitive, "", "do not lower-case");
  table.group("Significance")
      .add("confidence", &e.confidence, "", "print 95 % intervals from bootstrap resampling")
      .add("confidence-samples", &e.confidence_samples, "N", "bootstrap resamples",
           metrics::evaluation_rules::kConfidenceSamples)
      .add("paired", &e.paired, "", "significance test of each other hypothesis against the first",
           {.choices = {"none", "bootstrap", "randomization"}})
      .add("paired-samples", &e.paired_samples, "N",
           "resamples or trials; 0: 1000 for bootstrap, 10000 for randomization",
           metrics::evaluation_rules::kPairedSamples)
      .add("seed", &e.seed, "N", "random seed of resampling", ranges::kSeed);
  table.group("Tasks")
      .add("task", &o.task, "NAME",
           "score predictions for this task: squad1, squad2, XQuAD, MLQA, TyDiQA-GoldP, XNLI, "
           "UD-POS, PANX or a task of GLUE, such as MRPC; a language may follow, as in xquad-de")
      .add("predictions", &o.predictions, "FILE...",
           "predictions, one file for each system: JSON of id and text for questions; "
           "otherwise tab-separated columns index and prediction with this header, or one "
           "prediction per line")
      .add("language", &o.language, "NAME",
           "language to read from a reference with several; MLQA: language of the answers. For "
           "translations: their language, for which BLEU takes sacreBLEU's tokenizer (zh, ja, ko)")
      .add("null-odds", &o.null_odds, "FILE",
           "JSON of question id and score of 'no answer', for the best threshold in squad2");
  table.group("Report")
      .add("report", &o.report, "FILE.html",
           "write a page that compares the systems with the first one: scores with intervals and "
           "significance, by length, word frequency and --origins, and the n-grams and sentences "
           "that differ most; implies --confidence and --paired bootstrap")
      .add("training", &o.training, "FILE...",
           "target side of the training text, whose word frequencies --report uses instead of "
           "those of the reference");
  table.group("Output")
      .add("sentence-level", &e.sentence_level, "",
           "print one line per sentence, with a column for each hypothesis and metric")
      .add("json", &o.json, "", "print an array with one object for each hypothesis and metric")
      .add("score-only", &o.score_only, "",
           "print only the scores: one line per hypothesis, one column per metric")
      .add("digits", &o.digits, "N",
           "decimals in text output; COMET, whose scores are fractions, gets two more",
           {.least = 0, .most = 17});
  table
      .basics({"reference", "hypothesis", "metric", "comet-model", "source", "tokenize",
               "lowercase", "confidence", "paired", "report", "sentence-level", "json"})
      .example("dietmt evaluate --reference test.de --hypothesis output.de --metric bleu,chrf,ter")
      .example("dietmt evaluate --reference test.de --hypothesis base.de new.de --paired bootstrap")
      .example(
          "dietmt evaluate --reference test.de --hypothesis base.de new.de --metric bleu,chrf "
          "--report systems.html")
      .example(
          "dietmt evaluate --metric comet --comet-model models/comet --source test.en "
          "--reference test.de --hypothesis output.de");
  return table;
}

std::vector<std::string> evaluate_problems(const OptionTable& table, const EvaluateOptions& o) {
  std::vector<std::string> problems;
  const auto require = [&](bool holds, const char* problem) {
    if (!holds) problems.emplace_back(problem);
  };
  const metrics::EvaluationOptions& e = o.evaluation;
  require(!o.json || !o.score_only, "--json and --score-only cannot be combined");
  if (!o.task.empty()) {
    for (const std::string& problem : problems_of_task(table, o)) problems.push_back(problem);
    return problems;
  }
  require(o.predictions.empty(), "--predictions needs --task");
  require(o.language.empty() || splits_words(o),
          "--language needs --metric bleu or --report, whose tokenizer it chooses, or --task");
  require(o.language.empty() || !table.given("tokenize"),
          "--tokenize and --language both choose a tokenizer: leave out one of them");
  require(o.null_odds.empty(), "--null-odds needs --task");
  require(!o.hypotheses.empty(), "--hypothesis is missing: give --hypothesis FILE...");
  const bool only_comet = o.metrics == kComet;
  require(!o.references.empty() || only_comet, "--reference is missing: give --reference FILE...");
  for (const std::string& problem : problems_of_metrics(table, o)) problems.push_back(problem);
  for (const std::string& problem : problems_of_comet(o)) problems.push_back(problem);
  for (const std::string& problem : problems_of_report(table, o)) problems.push_back(problem);
  std::vector<std::string> inputs = o.references;
  inputs.insert(inputs.end(), o.hypotheses.begin(), o.hypotheses.end());
  inputs.insert(inputs.end(), o.training.begin(), o.training.end());
  inputs.insert(inputs.end(), {o.source, o.origins, o.documents});
  require(std::count(inputs.begin(), inputs.end(), "-") <= 1, kOneStandardInput);
  require(e.paired == "none" || o.hypotheses.size() > 1,
          "--paired compares systems: give two --hypothesis files or more");
  const bool has_report = !o.report.empty();  // which has intervals and p-values
  require(!table.changed("paired-samples") || e.paired != "none" || has_report,
          "--paired-samples needs --paired");
  require(!table.changed("confidence-samples") || has_report ||
              (e.confidence && e.paired != "bootstrap"),
          "--confidence-samples needs --confidence; with --paired bootstrap, --paired-samples "
          "counts");
  require(!table.changed("seed") || e.confidence || e.paired != "none" || has_report,
          "--seed needs --confidence or --paired");
  const bool in_parts = e.sentence_level || o.document_level;
  require(!in_parts || (!e.confidence && e.paired == "none"),
          "--sentence-level and --document-level exclude --confidence and --paired");
  require(!e.sentence_level || !o.document_level,
          "--sentence-level and --document-level cannot be combined");
  require(
      !o.score_only || (!e.confidence && e.paired == "none"),
      "--score-only prints neither intervals nor p-values: leave out --confidence and --paired");
  require(!in_parts || !o.score_only,
          "--sentence-level and --document-level print only scores: leave out --score-only");
  require(o.origins.empty() == o.origin.empty() || (o.origin.empty() && !o.report.empty()),
          "give --origins and --origlang together");
  require(!o.documents.empty() || (o.subset.empty() && !o.document_level),
          "--subset and --document-level need --documents");
  require(o.documents.empty() || !o.subset.empty() || o.document_level,
          "--documents needs --subset or --document-level");
  require(has_subwords(o.tokenize) == !o.subword_model.empty(),
          "give --subword-model with --tokenize spm, flores101, flores200 or spBLEU-1K, and only "
          "with them");
  require(!o.smooth_value || o.smooth == "floor" || o.smooth == "add-k",
          "--smooth-value needs --smooth floor or add-k");
  require(o.chrf.word_order == EvaluateOptions().chrf.word_order ||
              std::ranges::count(metric_names(o), "chrf++") == 0,
          "--chrf-word-order is for --metric chrf; chrf++ has 2");
  require(o.mecab_dictionary.empty() || metrics::is_mecab_tokenizer(o.tokenize),
          "--mecab-dictionary needs --tokenize ja-mecab or ko-mecab");
  return problems;
}

}  // namespace dietmt::tools
