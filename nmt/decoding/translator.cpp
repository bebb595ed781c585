#include "nmt/decoding/translator.h"

#include <torch/torch.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "common/error.h"
#include "nmt/decoding/beam_search.h"
#include "nmt/decoding/model_scorer.h"
#include "nmt/decoding/parallel_batches.h"
#include "nmt/decoding/sampling.h"

namespace dietmt::nmt {

Translator::Translator(std::vector<const TranslationModel*> models, SpecialTokens special,
                       SearchOptions options)
    : models_(std::move(models)), special_(special), options_(std::move(options)) {
  throw_if_any(options_.problems());
}

int64_t Translator::max_source_length() const {
  int64_t length = options_.max_source_length;
  for (const TranslationModel* model : models_)
    length = std::min(length, model->max_source_length());
  return length;
}

int64_t Translator::max_target_length() const {
  int64_t length = std::numeric_limits<int64_t>::max();
  for (const TranslationModel* model : models_)
    length = std::min(length, model->max_target_length());
  return length;
}

SearchTask Translator::task_of(const TranslationRequest& request) const {
  const int64_t wanted = options_.max_target_length(static_cast<int64_t>(request.source.size()));
  const auto with_prefix = static_cast<int64_t>(request.prefix.size()) + 1;
  return {std::min(std::max(wanted, with_prefix), max_target_length()), options_.min_length,
          request.prefix, request.index};
}

std::vector<NBest> Translator::translate_batch(
    std::span<const TranslationRequest* const> batch) const {
  const c10::InferenceMode inference;
  std::vector<SearchTask> tasks;
  std::vector<const std::vector<int32_t>*> sources;
  int64_t max_steps = 0;
  for (const TranslationRequest* request : batch) {
    tasks.push_back(task_of(*request));
    sources.push_back(&request->source);
    max_steps = std::max(max_steps, tasks.back().max_length);
  }
  const int64_t rows = options_.sample ? options_.nbest : options_.beam;
  const auto scorer = make_scorer(models_, sources, rows, max_steps);
  return options_.sample ? sample_translations(*scorer, tasks, special_, options_)
                         : beam_search(*scorer, tasks, special_, options_);
}

std::vector<NBest> Translator::translate(std::span<const TranslationRequest> requests,
                                         const std::function<void(int64_t)>& progress) const {
  std::vector<int64_t> lengths;
  for (const TranslationRequest& request : requests)
    lengths.push_back(static_cast<int64_t>(request.source.size()));
  std::vector<NBest> results(requests.size());
  const bool on_cpu = models_.front()->output_weight().is_cpu();
  // Attention over padding gives other last bits than without: on the CPU no batch needs any.
  const auto batches = batches_by_length(lengths, options_.batch_tokens,
                                         on_cpu ? BatchLengths::kEqual : BatchLengths::kSimilar);
  for_each_batch(
      batches, on_cpu ? options_.threads : 1,
      [&](const std::vector<size_t>& batch) {
        std::vector<const TranslationRequest*> chosen;
        for (const size_t i : batch) chosen.push_back(&requests[i]);
        std::vector<NBest> found = translate_batch(chosen);
        for (size_t b = 0; b < batch.size(); ++b) results[batch[b]] = std::move(found[b]);
      },
      progress);
  return results;
}

std::vector<std::string> translate_lines(const TranslationModel& model,
                                         const data::Tokenizer& source_tokenizer,
                                         const data::Tokenizer& target_tokenizer,
                                         std::span<const std::string> lines,
                                         const SearchOptions& options) {
  const Translator translator({&model}, SpecialTokens::of(target_tokenizer), options);
  const auto limit = static_cast<size_t>(translator.max_source_length());
  std::vector<TranslationRequest> requests;
  std::vector<size_t> places;  // of the requests among the lines
  for (size_t i = 0; i < lines.size(); ++i) {
    std::vector<int32_t> ids = source_tokenizer.encode(lines[i]);
    if (ids.empty()) continue;
    ids.resize(std::min(ids.size(), limit - 1));
    ids.push_back(source_tokenizer.end_id());
    requests.push_back({std::move(ids), {}, static_cast<int64_t>(i)});
    places.push_back(i);
  }
  const std::vector<NBest> found = translator.translate(requests);
  std::vector<std::string> translations(lines.size());
  for (size_t r = 0; r < found.size(); ++r)
    translations[places[r]] = target_tokenizer.decode(found[r].front().ids);
  return translations;
}

}  // namespace dietmt::nmt
