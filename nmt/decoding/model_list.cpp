#include "nmt/decoding/model_list.h"

#include <algorithm>

#include "common/error.h"

namespace dietmt::nmt {

std::vector<std::string> split_directories(const std::string& directories) {
  std::vector<std::string> all;
  for (size_t start = 0; start <= directories.size();) {
    const size_t comma = std::min(directories.find(',', start), directories.size());
    all.push_back(directories.substr(start, comma - start));
    if (all.back().empty())
      throw ConfigError("--model " + directories + ": a directory is missing beside a comma");
    start = comma + 1;
  }
  return all;
}

void require_same_tokenizers(const std::filesystem::path& a, const Tokenizers& tokenizers_a,
                             const std::filesystem::path& b, const Tokenizers& tokenizers_b) {
  if (tokenizers_a.source->serialized() != tokenizers_b.source->serialized() ||
      tokenizers_a.target->serialized() != tokenizers_b.target->serialized()) {
    throw ConfigError("--model: " + a.string() + " and " + b.string() +
                      " have different tokenizers");
  }
}

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
