#include "nmt/batch_decoding/model_list.h"

namespace dietmt::nmt {

ModelList::ModelList(const std::string& directories, c10::Device device) {
  for (const std::string& directory : split_directories(directories)) {
    models_.push_back(load_model(directory, device));
    const LoadedModel& last = models_.back();
    require_same_tokenizers(models_.front().directory, tokenizers(), last.directory,
                            {last.source_tokenizer, last.target_tokenizer});
  }
}

std::vector<const TranslationModel*> ModelList::pointers() const {
  std::vector<const TranslationModel*> all;
  for (const LoadedModel& loaded : models_) all.push_back(loaded.model.get());
  return all;
}

}  // namespace dietmt::nmt
