#include "dietmt/model_loading.h"

#include <limits>

namespace dietmt {

nmt::SearchOptions machine_options(const TranslatorOptions& o) {
  nmt::SearchOptions search;
#define DIETMT_MODEL_OPTION(group, type, name, ...) search.name = o.name;
#include "nmt/search/search_options.def"
  return search;
}

std::unique_ptr<service::ServedModel> serve_model(
    const std::shared_ptr<const nmt::LoadedDecoder>& loaded, const TranslatorOptions& o) {
  return std::make_unique<service::ServedModel>(
      *loaded,
      service::DecodingThreads{.workers = nmt::usable_workers(o.workers, o.threads),
                               .threads = o.threads,
                               .batch_tokens = o.batch_tokens},
      service::QueueLimits{.max_tokens = std::numeric_limits<int64_t>::max() / 2}, nullptr);
}

}  // namespace dietmt
