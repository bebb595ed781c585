#include "nmt/translation/stored_decoder.h"

#include <algorithm>

#include "common/error.h"
#include "nmt/engine/stored_positions.h"
#include "nmt/engine/stored_weights.h"
#include "nmt/engine/weight_types.h"
#include "storage/checkpoint.h"

namespace dietmt::nmt {
namespace {

bool reach(const StoredPositions& positions, const StoredDecoderOptions& options) {
  const int64_t source = std::min({options.search.max_source_length, positions.encoder->max_length,
                                   positions.cross->max_length});
  const int64_t target =
      options.has_prefixes ? StoredSite::kNoLimit : options.search.max_target_length(source);
  return positions.encoder->reaches(source) && positions.decoder->reaches(target) &&
         positions.cross->reaches(std::max(source, target));
}

}  // namespace

std::optional<LoadedDecoder> load_stored_decoder(const std::string& directories,
                                                 const StoredDecoderOptions& options) {
  EngineModelList models;
  for (const std::string& name : split_directories(directories)) {
    const std::filesystem::path directory = storage::resolve_model_directory(name);
    if (!std::filesystem::exists(directory / kPositionsFile)) return {};
    const ModelFiles files = open_model(directory);
    if (files.quantization.empty()) return {};
    throw_if_any(files.config.problems());
    StoredWeights stored(storage::view_safetensors(files.weights()), files.weights().string(),
                         stored_type(files, options.weights));
    EngineModel model;
    model.weights = assemble_weights(files.config, stored);
    const StoredPositions positions = read_positions(directory / kPositionsFile, *model.weights);
    if (!reach(positions, options)) return {};
    model.encoder = position_tables(positions.encoder);
    model.decoder = position_tables(positions.decoder);
    model.cross = position_tables(positions.cross);
    models.add(files, std::move(model));
  }
  return std::move(models).decoder(options.shortlist);
}

}  // namespace dietmt::nmt
