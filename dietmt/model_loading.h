// Loads the model of a Translator and starts the threads that decode with it.
#pragma once

#include <memory>
#include <string>

#include "dietmt/translator.h"
#include "nmt/search/search_options.h"
#include "nmt/translation/loaded_decoder.h"
#include "service/scheduling/served_model.h"

namespace dietmt {

/// Limits and threads that apply to all calls.
nmt::SearchOptions machine_options(const TranslatorOptions& options);

/// `model`: a directory, or several separated by commas. Throws ConfigError for wrong options, and
/// CheckpointError for a model that cannot be read or needs LibTorch.
std::shared_ptr<const nmt::LoadedDecoder> load_decoder(const std::string& model,
                                                       const TranslatorOptions& options);

/// One queue for all callers, which never refuses work.
std::unique_ptr<service::ServedModel> serve_model(
    const std::shared_ptr<const nmt::LoadedDecoder>& loaded, const TranslatorOptions& options);

}  // namespace dietmt
