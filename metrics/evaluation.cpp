#include "metrics/evaluation.h"

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

void add_significance(const EvaluationOptions& o, const Metric& metric,
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

std::vector<double> document_scores(const Metric& metric, const CorpusStatistics& system,
                                    const std::vector<size_t>& documents) {
  std::vector<CorpusStatistics> parts;
  for (size_t i = 0; i < documents.size(); ++i) {
    if (documents[i] >= parts.size()) parts.resize(documents[i] + 1);
    parts[documents[i]].add(system[i]);
  }
  std::vector<double> scores;
  for (const CorpusStatistics& part : parts) scores.push_back(metric.score(part.sum()).score);
  return scores;
}

}  // namespace

std::vector<SystemScore> evaluate(const Metric& metric, const References& references,
                                  const std::vector<std::vector<std::string>>& hypotheses,
                                  const EvaluationOptions& options) {
  std::vector<CorpusStatistics> systems;
  for (const std::vector<std::string>& hypothesis : hypotheses)
    systems.push_back(metric.corpus_statistics(hypothesis, references));
  std::vector<SystemScore> results;
  for (size_t h = 0; h < systems.size(); ++h) {
    SystemScore result;
    result.score = metric.score(systems[h].sum());
    result.signature =
        metric.signature(references.size(), resampling_fields(options) + options.chosen);
    add_significance(options, metric, systems, h, result);
    for (size_t i = 0; options.sentence_level && i < systems[h].sentences(); ++i)
      result.sentence_scores.push_back(metric.score(systems[h][i]).score);
    result.document_scores = document_scores(metric, systems[h], options.documents);
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace dietmt::metrics
