// What `dietmt evaluate` compares.
#include <algorithm>
#include <utility>

#include "common/error.h"
#include "metrics/sentence_choice.h"
#include "tools/evaluate_options.h"

namespace dietmt::tools {
namespace {

using Lines = std::vector<std::string>;

}  // namespace

Corpora read_corpora(const EvaluateOptions& o) {
  Corpora corpora;
  for (const std::string& path : o.references)
    corpora.references.push_back(metrics::read_sentences(path));
  for (const std::string& path : o.hypotheses)
    corpora.hypotheses.push_back(metrics::read_sentences(path));
  if (!o.source.empty()) corpora.sources = metrics::read_sentences(o.source);
  std::string counts;
  bool equal = true;
  const auto note = [&](const std::string& path, const Lines& lines) {
    equal = equal && lines.size() == corpora.hypotheses[0].size();
    counts += (counts.empty() ? "" : ", ") + path + " " + std::to_string(lines.size());
  };
  for (size_t r = 0; r < o.references.size(); ++r) note(o.references[r], corpora.references[r]);
  for (size_t h = 0; h < o.hypotheses.size(); ++h) note(o.hypotheses[h], corpora.hypotheses[h]);
  if (!o.source.empty()) note(o.source, corpora.sources);
  if (!equal) throw DataError("the files have different numbers of lines: " + counts);
  return corpora;
}

Lines choose_sentences(EvaluateOptions& o, Corpora& corpora) {
  const size_t sentences = corpora.hypotheses[0].size();
  metrics::SentenceChoice choice(sentences);
  Lines documents;
  if (!o.documents.empty()) documents = metrics::read_labels(o.documents, sentences);
  if (!o.origins.empty()) corpora.origins = metrics::read_labels(o.origins, sentences);
  if (!o.origin.empty()) {
    choice.keep_origin(corpora.origins, o.origin);
    o.evaluation.chosen += "origlang:" + o.origin + "|";
  }
  if (!o.subset.empty()) {
    choice.keep_documents(documents, o.subset);
    o.evaluation.chosen += "subset:" + o.subset + "|";
  }
  if (choice.empty()) throw DataError("--origlang and --subset leave no sentence to score");
  for (Lines& lines : corpora.references) lines = choice.of(lines);
  for (Lines& lines : corpora.hypotheses) lines = choice.of(lines);
  if (!o.source.empty()) corpora.sources = choice.of(corpora.sources);
  if (!o.origins.empty()) corpora.origins = choice.of(corpora.origins);
  for (const size_t sentence : choice.chosen()) corpora.lines.push_back(sentence + 1);
  if (o.documents.empty()) return {};
  metrics::NumberedDocuments numbered = metrics::number_documents(choice.of(documents));
  corpora.documents = numbered.of_sentences;
  if (!o.document_level) return {};
  o.evaluation.documents = std::move(numbered.of_sentences);
  return std::move(numbered.ids);
}

std::string missing_references(const EvaluateOptions& o, const Corpora& corpora) {
  std::string counts;
  for (size_t r = 0; r < corpora.references.size(); ++r) {
    int64_t missing = 0;
    for (size_t i = 0; i < corpora.references[r].size(); ++i) {
      const bool is_translated = std::ranges::any_of(
          corpora.hypotheses, [i](const Lines& lines) { return !lines[i].empty(); });
      missing += corpora.references[r][i].empty() && is_translated;
    }
    if (missing > 0)
      counts += (counts.empty() ? "" : ", ") + o.references[r] + " " + std::to_string(missing);
  }
  return counts.empty() ? ""
                        : "empty references of translated lines: " + counts +
                              "; they count as references without words, as in sacreBLEU";
}

}  // namespace dietmt::tools
