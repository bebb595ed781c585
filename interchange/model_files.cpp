#include "interchange/model_files.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "common/error.h"
#include "common/files.h"
#include "data/text/merged_pieces.h"

namespace dietmt::interchange {
namespace fs = std::filesystem;
namespace {

const std::vector<std::string> kUsual = {"sentencepiece.bpe.model",
                                         "sentencepiece.model",
                                         "spm.model",
                                         "bpecodes",
                                         "bpe.codes",
                                         "codes",
                                         "code"};

}  // namespace

fs::path first_file(const fs::path& directory, const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (!name.empty() && fs::is_regular_file(directory / name)) return directory / name;
  return {};
}

fs::path only_checkpoint(const fs::path& directory, const std::string& extension,
                         const std::string& program) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(directory))
    if (entry.path().extension() == extension) found.push_back(entry.path());
  if (found.empty())
    throw CheckpointError(directory.string() + ": has no checkpoint of " + program + " (" +
                          extension + ")");
  std::ranges::sort(found);
  if (found.size() > 1)
    throw CheckpointError(directory.string() + ": has " + std::to_string(found.size()) +
                          " checkpoints; give one: --from " + found.front().string());
  return found.front();
}

Splitter read_splitter(const fs::path& file) {
  std::string bytes = read_file(file);
  const bool is_model = file.extension() == ".model" || file.extension() == ".spm" ||
                        bytes.starts_with('\n');  // the tag of a model's first piece
  if (is_model) return {std::move(bytes), file.string()};
  spdlog::info(
      "{} cuts words: prepare texts as those of the training, by Moses' tokenizer if there "
      "was one",
      file.string());
  return {data::merge_rules(data::MergedText::kWords, bytes), file.string(), /*are_merges=*/true};
}

Splitter find_splitter(const fs::path& directory, const std::vector<fs::path>& given, size_t side,
                       const std::vector<std::string>& own) {
  if (!given.empty()) return read_splitter(given[std::min(side, given.size() - 1)]);
  for (const std::vector<std::string>& names : {own, kUsual})
    if (const fs::path file = first_file(directory, names); !file.empty())
      return read_splitter(file);
  return {};
}

}  // namespace dietmt::interchange
