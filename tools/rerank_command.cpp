// dietmt rerank: chooses among the translations of n-best lists by the scores of further models.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "common/atomic_file.h"
#include "common/error.h"
#include "common/files.h"
#include "common/options.h"
#include "common/text_io.h"
#include "metrics/bleu.h"
#include "metrics/chrf.h"
#include "nmt/reranking/feature_weights.h"
#include "nmt/reranking/nbest_reader.h"
#include "nmt/reranking/weight_tuning.h"
#include "nmt/translation/line_tokens.h"
#include "nmt/translation/line_writer.h"
#include "tools/commands.h"
#include "tools/output_problems.h"
#include "tools/rerank_features.h"
#include "tools/unused_options.h"

namespace dietmt::tools {
namespace {

struct RerankOptions : RerankModels {
  std::string list;
  std::string source;
  std::string weight_file;
  std::string reference;
  std::string metric = "bleu";
  std::string tokenizer = "13a";
  std::string output = "-";
  int64_t restarts = nmt::TuningOptions().restarts;
  int64_t nbest = 1;
  bool json = false;
};

OptionTable option_table(RerankOptions& o) {
  OptionTable table(
      "rerank", "[--nbest-list] FILE [--source FILE] [--reverse-model DIR] [--model DIR]",
      "Chooses the best translation of each n-best list that 'dietmt translate' has written "
      "(--nbest or --json), or Moses or Marian, by a weighted sum of features: score, that of the "
      "list; the named features of Moses and Marian; model, reverse, language: mean "
      "log-probabilities per token; comet: quality; length: characters for each one of the "
      "source.");
  table.group("Text")
      .add("nbest-list", &o.list, "FILE",
           "output of 'dietmt translate --nbest N', or of --json, or a list of Moses or Marian; "
           "plain, compressed or - (standard input)",
           {.required = true})
      .add("source", &o.source, "FILE", "source text of the list; JSON lists contain it already")
      .add("output", &o.output, "FILE",
           "best translations, or - (standard output); a file appears when it is complete, and "
           "FILE.gz is compressed")
      .add("nbest", &o.nbest, "N",
           "translations per line; above 1 as `line ||| text ||| score`, lines counted from 0",
           nmt::search_option(&nmt::SearchOptions::nbest).rule)
      .add(
          "json", &o.json, "",
          R"(write one JSON object per line: {"source", "translations": [{"text", "score", "features"}]})");
  table.group("Features")
      .add("model", &o.models, "DIR[,DIR...]",
           "models of log p(translation | source); each is a feature: model, model2 and so on")
      .add("reverse-model", &o.reverse_models, "DIR[,DIR...]",
           "models of log p(source | translation); each is a feature: reverse, reverse2 and so on")
      .add(
          "language-model", &o.language_models, "DIR[,DIR...]",
          "BERT encoders with a head for masked tokens, of the target language; each is a feature, "
          "the pseudo-log-likelihood: language, language2 and so on")
      .add("comet-model", &o.comet_models, "DIR[,DIR...]",
           "COMET or MetricX models, whose scores count negatively, written by 'dietmt import'; "
           "each is a feature: comet, comet2 "
           "and so on. "
           "A model that reads no references, such as COMETKiwi, scores each translation; others "
           "compare it with all translations of its list, as 'translate --mbr comet' does")
      .add("weights", &o.weight_file, "FILE",
           "weights of the features, as --tune writes them; without it length and the features in "
           "a list of Moses or Marian have weight 0, and all others have 1");
  table.group("Tuning")
      .add("tune", &o.reference, "FILE",
           "references of a validation set, never of a test set: find the weights with the best "
           "--metric and write them to --weights instead of translations")
      .add("metric", &o.metric, "", "corpus metric that --tune optimizes",
           {.choices = {"bleu", "chrf"}})
      .add("tokenize", &o.tokenizer, "", "tokenizer of BLEU",
           {.choices = {"13a", "intl", "char", "zh", "none"}})
      .add("restarts", &o.restarts, "N", "extra searches of --tune that start from random weights",
           {.least = 0, .most = 1000})
      .add("seed", &o.search.seed, "N", "random seed of --tune", ranges::kSeed);
  bind_languages(table.group("Languages of the models"), o.languages);
  table.group("Machine");
  add_search_option(table, &nmt::SearchOptions::max_source_length, &o.search.max_source_length);
  table.add("device", &o.device, "NAME", "cpu, cuda or cuda:I");
  add_search_option(table, &nmt::SearchOptions::workers, &o.search.workers);
  add_search_option(table, &nmt::SearchOptions::batch_tokens, &o.search.batch_tokens);
  add_search_option(table, &nmt::SearchOptions::threads, &o.search.threads);
  table.positional("nbest-list")
      .basics({"source", "output", "nbest", "json", "model", "reverse-model", "language-model",
               "comet-model", "weights", "tune", "metric"})
      .example(
          "dietmt rerank --nbest-list test.nbest --source test.en --reverse-model runs/de-en "
          "--weights weights.json")
      .example(
          "dietmt rerank --nbest-list valid.nbest --source valid.en --reverse-model runs/de-en "
          "--tune valid.de --weights weights.json");
  return table;
}

// The weights are an input, or what --tune writes from the other inputs.
std::vector<std::string> shared_files(const RerankOptions& o) {
  const NamedFiles texts = {
      {"--nbest-list", o.list}, {"--source", o.source}, {"--tune", o.reference}};
  NamedFiles inputs = texts;
  inputs.emplace_back("--weights", o.weight_file);
  std::vector<std::string> problems = output_problems(o.output, inputs);
  if (o.reference.empty()) return problems;
  for (const auto& [option, file] : texts)
    if (!file.empty() && file != "-" && is_same_file(file, o.weight_file))
      problems.push_back("--weights and " + option + " are one file: " + file);
  return problems;
}

std::vector<std::string> problems_of(const OptionTable& table, const RerankOptions& o) {
  std::vector<std::string> problems = o.search.problems();
  const bool tunes = !o.reference.empty();
  if (!tunes) refuse_unused(table, {"metric", "tokenize", "restarts", "seed"}, "--tune", problems);
  if (table.changed("tokenize") && o.metric == "chrf")
    problems.emplace_back("--tokenize is for --metric bleu");
  if (!o.languages.source_tag.empty() && o.models.empty())
    problems.emplace_back("--source-tag needs --model");
  if (tunes && o.weight_file.empty())
    problems.emplace_back("--tune needs --weights, the file that it writes");
  if (tunes && (o.output != "-" || o.nbest > 1 || o.json))
    problems.emplace_back("--tune writes only weights: leave out --output, --nbest and --json");
  if (!tunes && o.empty() && o.weight_file.empty())
    problems.emplace_back(
        "nothing to rerank by: add --reverse-model, --model, --language-model, --comet-model or "
        "--weights");
  for (const std::string& problem : shared_files(o)) problems.push_back(problem);
  const std::array inputs = {&o.list, &o.source, &o.reference};
  if (std::ranges::count(inputs, "-", [](const std::string* one) { return *one; }) > 1)
    problems.emplace_back("only one of the inputs can be - (standard input)");
  return problems;
}

// The next sentences, enough for full batches; none at the end.
std::vector<nmt::ListedSentence> read_window(nmt::NBestReader& list) {
  constexpr size_t kTranslations = 8192;
  std::vector<nmt::ListedSentence> window;
  nmt::ListedSentence sentence;
  for (size_t translations = 0; translations < kTranslations && list.next(sentence);) {
    translations += sentence.translations.size();
    window.push_back(std::move(sentence));
    sentence = {};
  }
  return window;
}

std::string json_line(const nmt::ListedSentence& sentence, std::span<const size_t> order,
                      const std::vector<std::vector<double>>& features,
                      const nmt::FeatureWeights& weights) {
  auto translations = nlohmann::ordered_json::array();
  for (const size_t i : order) {
    auto values = nlohmann::ordered_json::object();
    for (size_t f = 0; f < weights.names.size(); ++f) values[weights.names[f]] = features[i][f];
    translations.push_back({{"text", sentence.translations[i].text},
                            {"score", nmt::weighted_sum(weights.values, features[i])},
                            {"features", std::move(values)}});
  }
  return nlohmann::ordered_json{{"source", sentence.source},
                                {"translations", std::move(translations)}}
      .dump();
}

void rerank(const RerankOptions& o, nmt::NBestReader& list, const RerankFeatures& features) {
  const nmt::FeatureWeights weights =
      o.weight_file.empty() ? nmt::FeatureWeights{features.names(), features.default_weights()}
                            : nmt::FeatureWeights::read(o.weight_file, features.names());
  nmt::LineWriter output(o.output);
  int64_t line = 0;
  for (auto window = read_window(list); !window.empty(); window = read_window(list)) {
    const auto all = features.of(window);
    for (size_t s = 0; s < window.size(); ++s, ++line) {
      std::vector<size_t> order = nmt::ranking(weights.values, all[s]);
      if (std::ssize(order) > o.nbest) order.resize(static_cast<size_t>(o.nbest));
      bool wanted = true;
      if (o.json) wanted = output.write(json_line(window[s], order, all[s], weights));
      for (size_t i = 0; i < order.size() && wanted && !o.json; ++i) {
        const std::string& text = window[s].translations[order[i]].text;
        const double score = nmt::weighted_sum(weights.values, all[s][order[i]]);
        wanted = output.write(o.nbest > 1 ? fmt::format("{} ||| {} ||| {:.6f}", line, text, score)
                                          : text);
      }
      if (!wanted) return;
    }
  }
  output.commit();
}

std::unique_ptr<const metrics::Metric> metric_of(const RerankOptions& o) {
  if (o.metric == "chrf") return std::make_unique<metrics::Chrf>(metrics::ChrfOptions{});
  metrics::BleuOptions bleu;
  bleu.tokenizer = metrics::bleu_tokenizer_from_name(o.tokenizer);
  return std::make_unique<metrics::Bleu>(bleu);
}

std::vector<nmt::TuningSentence> tuning_sentences(nmt::NBestReader& list, LineReader& references,
                                                  const RerankFeatures& features,
                                                  const metrics::Metric& metric) {
  std::vector<nmt::TuningSentence> all;
  std::string reference;
  for (auto window = read_window(list); !window.empty(); window = read_window(list)) {
    auto values = features.of(window);
    for (size_t s = 0; s < window.size(); ++s) {
      if (!references.next(reference))
        throw DataError(references.where() + ": the references end here, but line " +
                        std::to_string(all.size() + 1) + " of the source has translations");
      nmt::clean_line(reference, references);
      nmt::TuningSentence& sentence = all.emplace_back();
      sentence.features = std::move(values[s]);
      for (const nmt::ListedTranslation& one : window[s].translations)
        sentence.statistics.push_back(metric.sentence_statistics(one.text, {&reference, 1}));
    }
  }
  if (references.next(reference))
    throw DataError(references.where() +
                    ": this reference has no source line; the source ends "
                    "after " +
                    std::to_string(all.size()) + " lines");
  if (all.empty()) throw DataError("--tune needs text, but the source has no lines");
  return all;
}

void tune(const RerankOptions& o, nmt::NBestReader& list, LineReader& references,
          const RerankFeatures& features) {
  AtomicFile weights(o.weight_file);  // fails before the work
  const std::unique_ptr<const metrics::Metric> metric = metric_of(o);
  const auto sentences = tuning_sentences(list, references, features, *metric);
  const std::vector<double> start = features.default_weights();
  std::vector<double> list_only(start.size(), 0.0);
  list_only.front() = 1.0;
  const nmt::TunedWeights tuned =
      nmt::tune_weights(sentences, start, *metric,
                        {.restarts = o.restarts, .seed = static_cast<uint64_t>(o.search.seed)});
  weights.write(nmt::FeatureWeights{features.names(), tuned.weights}.text() + '\n');
  weights.commit();
  spdlog::info(
      "{} of the {} tuned lines: {:.2f} by the scores of the list, {:.2f} by equal "
      "weights, {:.2f} by those in {}",
      metric->name(), sentences.size(), nmt::corpus_score(sentences, list_only, *metric),
      nmt::corpus_score(sentences, start, *metric), tuned.score, o.weight_file);
}

}  // namespace

int run_rerank(const std::vector<std::string>& arguments) {
  RerankOptions o;
  OptionTable table = option_table(o);
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  table.check(problems_of(table, o));
  const std::vector<FeatureModel> models = feature_models(o, arguments);
  nmt::NBestReader list(o.list, o.source);
  if (o.reference.empty()) {
    rerank(o, list, RerankFeatures(list.feature_names(), models, o));
    return 0;
  }
  LineReader references = nmt::open_text(o.reference);
  tune(o, list, references, RerankFeatures(list.feature_names(), models, o));
  return 0;
}

}  // namespace dietmt::tools
