#include "nmt/reranking/forced_scorer.h"

#include <algorithm>
#include <utility>

#include "common/error.h"

namespace dietmt::nmt {
namespace {

// A translation is as long as its prefix.
SearchOptions forced(const SearchOptions& search) {
  SearchOptions options;
  options.beam = 1;
  options.length_penalty = 0.0;
  options.max_length_factor = 0.0;
  options.max_length_offset = 1;
  options.max_source_length = search.max_source_length;
  options.batch_tokens = search.batch_tokens;
  options.workers = search.workers;
  options.threads = search.threads;
  return options;
}

}  // namespace

ForcedScorer::ForcedScorer(LoadedDecoder model, const SearchOptions& search,
                           const std::string& source_tag)
    : model_(std::move(model)),
      tag_(*model_.source_tokenizer, source_tag),
      translator_(std::move(model_.decoder), forced(search)) {
  if (model_.context.any())
    throw ConfigError(
        "a model that reads the sentences before (--context) cannot rerank: it would score each "
        "sentence by itself");
}

std::vector<double> ForcedScorer::mean_log_probs(std::span<const TextPair> pairs) const {
  std::vector<TranslationRequest> requests;
  for (const TextPair& pair : pairs) {
    std::vector<int32_t> source = model_.source_tokenizer->encode(tag_.before(pair.source));
    cut_and_end(source, translator_.max_source_length(), model_.source_tokenizer->end_id());
    requests.push_back({std::move(source), target_tokens(pair.target), 0});
  }
  std::vector<double> scores;
  for (const NBest& found : translator_.translate(requests))
    scores.push_back(found.front().sum / static_cast<double>(found.front().token_scores.size()));
  return scores;
}

std::vector<int32_t> ForcedScorer::target_tokens(const std::string& line) const {
  std::vector<int32_t> ids = model_.target_tokenizer->encode(line);
  const int64_t most = translator_.max_target_length() - 1;  // leaves room for end of sentence
  if (std::ssize(ids) > most) ids.resize(static_cast<size_t>(most));
  return ids;
}

}  // namespace dietmt::nmt
