#include "nmt/translation/loaded_decoder.h"

#include "data/shortlist/shortlist.h"
#include "nmt/engine/engine_decoder.h"

namespace dietmt::nmt {
namespace {

OutputShortlist open_shortlist(const std::filesystem::path& file, const Tokenizers& tokenizers) {
  if (file.empty()) return {};
  const auto opened =
      std::make_shared<const data::Shortlist>(file, *tokenizers.source, *tokenizers.target);
  return [opened](std::span<const int32_t> source, std::vector<int32_t>& tokens) {
    opened->candidates(source, tokens);
  };
}

}  // namespace

void EngineModelList::add(const ModelFiles& files, EngineModel model) {
  if (models_.empty()) {
    first_ = files.directory;
    tokenizers_ = files.tokenizers;
  }
  require_same_tokenizers(first_, tokenizers_, files.directory, files.tokenizers);
  models_.push_back(std::move(model));
}

LoadedDecoder EngineModelList::decoder(const std::filesystem::path& shortlist) && {
  LoadedDecoder loaded;
  loaded.source_tokenizer = tokenizers_.source;
  loaded.target_tokenizer = tokenizers_.target;
  loaded.special = SpecialTokens::of(*tokenizers_.target);
  loaded.decoder = std::make_unique<EngineDecoder>(std::move(models_), loaded.special,
                                                   open_shortlist(shortlist, tokenizers_));
  return loaded;
}

}  // namespace dietmt::nmt
