#include "metrics/evaluation.h"

#include "common/error.h"
#include "metrics/bleu.h"
#include "metrics/bleu_tokenizer.h"

namespace dietmt::metrics {
namespace {

int64_t paired_samples(const EvaluationOptions& o) {
  if (o.paired_samples > 0) return o.paired_samples;
  return o.paired == "bootstrap" ? 1000 : 10000;
}

// "bs:1000|ar:10000|seed:12345|", only the fields that apply.
std::string resampling_fields(const EvaluationOptions& o) {
  std::string fields;
  if (o.paired == "bootstrap")
    fields += "bs:" + std::to_string(paired_samples(o)) + "|";
  else if (o.confidence)
    fields += "bs:" + std::to_string(o.confidence_samples) + "|";
  if (o.paired == "randomization") fields += "ar:" + std::to_string(paired_samples(o)) + "|";
  return fields.empty() ? "" : fields + "seed:" + std::to_string(o.seed) + "|";
}

void add_significance(const EvaluationOptions& o, const ScoreRule& metric,
                      const std::vector<CorpusStatistics>& systems, size_t h, SystemScore& result) {
  const auto seed = static_cast<uint64_t>(o.seed);
  const ResamplingOptions paired{paired_samples(o), seed};
  if (o.paired == "bootstrap")
    result.interval = bootstrap_interval(metric, systems[h], paired);
  else if (o.confidence)
    result.interval = bootstrap_interval(metric, systems[h], {o.confidence_samples, seed});
  if (h == 0) return;
  if (o.paired == "bootstrap")
    result.p_value = paired_bootstrap(metric, systems[0], systems[h], paired);
  if (o.paired == "randomization")
    result.p_value = paired_randomization(metric, systems[0], systems[h], paired);
}

}  // namespace

std::vector<SystemScore> evaluate(const Metric& metric, const References& references,
                                  const std::vector<std::vector<std::string>>& hypotheses,
                                  const EvaluationOptions& options) {
  std::vector<CorpusStatistics> systems;
  for (const std::vector<std::string>& hypothesis : hypotheses)
    systems.push_back(metric.corpus_statistics(hypothesis, references));
  return evaluate(metric, references.size(), systems, options);
}

std::vector<SystemScore> evaluate(const ScoreRule& rule, size_t reference_sets,
                                  const std::vector<CorpusStatistics>& systems,
                                  const EvaluationOptions& options) {
  std::vector<SystemScore> results;
  for (size_t h = 0; h < systems.size(); ++h) {
    SystemScore result;
    result.score = rule.score(systems[h].sum());
    result.signature = rule.signature(reference_sets, resampling_fields(options) + options.chosen);
    add_significance(options, rule, systems, h, result);
    for (size_t i = 0; options.sentence_level && i < systems[h].sentences(); ++i)
      result.sentence_scores.push_back(rule.score(systems[h][i]).score);
    result.document_scores = part_scores(rule, systems[h], options.documents);
    results.push_back(std::move(result));
  }
  return results;
}

std::vector<double> part_scores(const ScoreRule& rule, const CorpusStatistics& system,
                                const std::vector<size_t>& parts) {
  std::vector<CorpusStatistics> statistics;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] >= statistics.size()) statistics.resize(parts[i] + 1);
    statistics[parts[i]].add(system[i]);
  }
  std::vector<double> scores;
  for (const CorpusStatistics& part : statistics) scores.push_back(rule.score(part.sum()).score);
  return scores;
}

std::unique_ptr<Bleu> make_bleu(const MetricOptions& o) {
  BleuOptions bleu;
  bleu.given_tokenizer = o.given_tokenizer;
  if (!bleu.given_tokenizer && is_mecab_tokenizer(o.tokenize))
    bleu.given_tokenizer = mecab_tokenizer(o.tokenize, o.mecab_dictionary);
  if (!bleu.given_tokenizer) bleu.tokenizer = bleu_tokenizer_from_name(o.tokenize);
  bleu.lowercase = o.lowercase;
  bleu.smoothing = smoothing_from_name(o.smooth);
  bleu.smoothing_value = o.smooth_value;
  bleu.max_order = o.max_order;
  bleu.effective_order = o.effective_order;
  return std::make_unique<Bleu>(bleu);
}

std::unique_ptr<Metric> make_metric(const std::string& name, const MetricOptions& options) {
  if (name == "bleu") return make_bleu(options);
  if (name == "ter") return std::make_unique<Ter>(options.ter);
  ChrfOptions chrf = options.chrf;
  chrf.lowercase = options.lowercase;
  if (name == "chrf++") chrf.word_order = 2;
  if (name == "chrf" || name == "chrf++") return std::make_unique<Chrf>(chrf);
  throw ConfigError("unknown metric '" + name + "'; choose bleu, chrf, chrf++ or ter");
}

}  // namespace dietmt::metrics
