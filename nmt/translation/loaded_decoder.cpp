#include "nmt/translation/loaded_decoder.h"

#include <algorithm>

#include "common/error.h"
#include "data/shortlist/shortlist.h"
#include "nmt/engine/engine_decoder.h"
#include "nmt/engine/stored_positions.h"
#include "nmt/engine/stored_weights.h"
#include "storage/checkpoint.h"

namespace dietmt::nmt {
namespace {

// `separator`: a token that every sentence may contain, or -1.
OutputShortlist open_shortlist(const std::filesystem::path& file, const Tokenizers& tokenizers,
                               int32_t separator) {
  if (file.empty()) return {};
  const auto opened =
      std::make_shared<const data::Shortlist>(file, *tokenizers.source, *tokenizers.target);
  const int32_t end = tokenizers.target->end_id();
  return [opened, separator, end](std::span<const int32_t> source, std::vector<int32_t>& tokens) {
    opened->candidates(source, tokens);
    // Without candidates, all tokens are allowed.
    if (separator < 0 || std::ranges::all_of(tokens, [&](int32_t t) { return t == end; })) return;
    const auto place = std::ranges::lower_bound(tokens, separator);
    if (place == tokens.end() || *place != separator) tokens.insert(place, separator);
  };
}

bool covers(const StoredPositions& positions, const StoredDecoderOptions& options) {
  const int64_t source = std::min({options.search.max_source_length, positions.encoder->max_length,
                                   positions.cross->max_length});
  const int64_t target = options.search.max_target_length(source);
  return positions.encoder->reaches(source) && positions.decoder->reaches(target) &&
         positions.cross->reaches(std::max(source, target));
}

}  // namespace

void EngineModelList::add(const ModelFiles& files, EngineModel model) {
  if (models_.empty()) {
    first_ = files.directory;
    tokenizers_ = files.tokenizers;
    context_ = files.context();
    languages_ = files.config.languages;
    search_ = files.config.search;
    const std::string file = (first_ / kConfigFile).string();
    SearchOptions().take(search_, {}, file);
    suppressed_ = suppressed_tokens(files.config.suppressed, *tokenizers_.target, file);
  }
  require_same_tokenizers(first_, tokenizers_, files.directory, files.tokenizers);
  require_same_context(first_, context_, files.directory, files.context());
  require_same_languages(first_, languages_, files.directory, files.config.languages);
  models_.push_back(std::move(model));
}

LoadedDecoder EngineModelList::decoder(const std::filesystem::path& shortlist) && {
  LoadedDecoder loaded;
  loaded.source_tokenizer = tokenizers_.source;
  loaded.target_tokenizer = tokenizers_.target;
  loaded.special = SpecialTokens::of(*tokenizers_.target);
  loaded.context = context_;
  loaded.languages = languages_;
  loaded.search = search_;
  loaded.suppressed = suppressed_;
  loaded.decoder = std::make_unique<EngineDecoder>(
      std::move(models_), loaded.special,
      open_shortlist(shortlist, tokenizers_, context_.target_separator));
  return loaded;
}

bool has_stored_positions(const std::filesystem::path& directory) {
  return !is_adapter(directory) &&
         std::filesystem::exists(storage::resolve_model_directory(directory) / kPositionsFile);
}

std::optional<LoadedDecoder> load_stored_decoder(const std::vector<std::string>& directories,
                                                 const StoredDecoderOptions& options) {
  EngineModelList models;
  for (const std::string& name : directories) {
    if (!has_stored_positions(name)) return {};
    const ModelFiles files = open_model(name);
    if (files.quantization.empty()) return {};
    StoredWeights stored(storage::open_safetensors(files.weights()), files.weights().string(),
                         stored_type(files, options.weights));
    EngineModel model;
    model.weights = assemble_weights(files.config, stored);
    const StoredPositions positions =
        read_positions(files.directory / kPositionsFile, *model.weights);
    if (!covers(positions, options)) return {};
    model.encoder = position_tables(positions.encoder);
    model.decoder = position_tables(positions.decoder);
    model.cross = position_tables(positions.cross);
    models.add(files, std::move(model));
  }
  return std::move(models).decoder(options.shortlist);
}

}  // namespace dietmt::nmt
