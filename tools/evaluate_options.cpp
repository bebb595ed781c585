// The options of `dietmt evaluate`.
#include "tools/evaluate_options.h"

#include <algorithm>
#include <sstream>

#include "tools/learned_metric.h"

namespace dietmt::tools {

std::vector<std::string> metric_names(const EvaluateOptions& o) {
  std::vector<std::string> names;
  std::istringstream list(o.metrics);
  for (std::string name; std::getline(list, name, ',');) names.push_back(name);
  return names;
}

bool splits_words(const EvaluateOptions& o) {
  return !o.report.empty() || std::ranges::count(metric_names(o), "bleu") > 0;
}

std::string learned_metric_named(const std::string& name) {
  return name == "comet" ? kComet : name == "metricx" ? kMetricx : "";
}

std::string learned_metric_of(const EvaluateOptions& o) {
  for (const std::string& name : metric_names(o))
    if (const std::string found = learned_metric_named(name); !found.empty()) return found;
  return "";
}

bool has_subwords(const std::string& tokenizer) {
  return tokenizer == "spm" || tokenizer == "spBLEU-1K" || tokenizer.starts_with("flores");
}

OptionTable evaluate_table(EvaluateOptions& o) {
  metrics::EvaluationOptions& e = o.evaluation;
  OptionTable table(
      "evaluate",
      "[--reference FILE...] (--hypothesis FILE... | --task NAME --predictions FILE...)",
      "Scores translations with BLEU, chrF and TER, as sacreBLEU computes them, or with a COMET "
      "or MetricX model. "
      "Files have one sentence per line, plain or compressed; - is standard input. With "
      "--task it scores predictions for SQuAD, GLUE and their relatives as the "
      "benchmarks' evaluation programs do.");
  table.group("Input")
      .add("reference", &o.references, "FILE...",
           "reference translations; several files: several references per sentence. With --task, "
           "the task's file with labels or answers")
      .add("hypothesis", &o.hypotheses, "FILE...", "translations, one file for each system")
      .add("metric", &o.metrics, "LIST",
           "comma-separated list of bleu, chrf, chrf++, ter and comet or metricx")
      .add("lowercase", &o.lowercase, "", "lower-case for BLEU and chrF (TER does so by default)");
  table.group("COMET and MetricX")
      .add("comet-model", &o.comet_model, "DIR",
           "COMET or MetricX model directory, written by 'dietmt import'")
      .add("source", &o.source, "FILE",
           "source sentences, which the model reads and --report shows")
      .add("comet-context", &o.comet_context, "N",
           "sentences before each one, of its document in --documents, that COMET also reads "
           "(Vernikos et al. 2022, with 2)",
           {.least = 0, .most = 1000})
      .add("device", &o.device, "NAME", "device of the model: cpu, cuda or cuda:I")
      .add("threads", &o.threads, "N", "threads of the model; 0: one per core", ranges::kThreads)
      .add("batch-tokens", &o.batch_tokens, "N",
           "batch size of the model in tokens; changes speed and memory, not scores",
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

}  // namespace dietmt::tools
