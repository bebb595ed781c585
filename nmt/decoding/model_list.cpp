#include "nmt/decoding/model_list.h"

#include <algorithm>

#include "common/error.h"

namespace dietmt::nmt {

ModelList::ModelList(const std::string& directories, c10::Device device) {
  for (size_t start = 0; start <= directories.size();) {
    const size_t comma = std::min(directories.find(',', start), directories.size());
    const std::string directory = directories.substr(start, comma - start);
    if (directory.empty())
      throw ConfigError("--model " + directories + ": a directory is missing beside a comma");
    models_.push_back(load_model(directory, device));
    const LoadedModel& first = models_.front();
    const LoadedModel& last = models_.back();
    if (first.source_tokenizer->serialized() != last.source_tokenizer->serialized() ||
        first.target_tokenizer->serialized() != last.target_tokenizer->serialized()) {
      throw ConfigError("--model: " + first.directory.string() + " and " + last.directory.string() +
                        " have different tokenizers");
    }
    start = comma + 1;
  }
}

std::vector<const TranslationModel*> ModelList::pointers() const {
  std::vector<const TranslationModel*> all;
  for (const LoadedModel& loaded : models_) all.push_back(loaded.model.get());
  return all;
}

}  // namespace dietmt::nmt
