#include "tools/corpus_options.h"

#include <spdlog/spdlog.h>

#include <filesystem>
#include <set>

#include "data/corpus/corpus_shares.h"
#include "data/text/source_tag.h"

namespace dietmt::tools {
namespace fs = std::filesystem;

std::vector<data::CorpusFiles> CorpusOptions::train_files() const {
  std::vector<data::CorpusFiles> files =
      data::corpus_files(train_source, train_target, source_tags);
  for (data::CorpusFiles& corpus : files)
    if (corpus.source_tag == "-") corpus.source_tag.clear();
  return files;
}

data::CorpusFiles CorpusOptions::valid_files() const {
  return {valid_source, valid_target, valid_source_tag.value_or("")};
}

std::vector<std::string> CorpusOptions::tags() const {
  std::set<std::string> tags(source_tags.begin(), source_tags.end());
  tags.erase("-");
  return {tags.begin(), tags.end()};
}

std::vector<std::pair<std::string, std::string>> CorpusOptions::texts() const {
  std::vector<std::pair<std::string, std::string>> all = {{"--valid-source", valid_source},
                                                          {"--valid-target", valid_target}};
  for (const std::string& file : train_source) all.emplace_back("--train-source", file);
  for (const std::string& file : train_target) all.emplace_back("--train-target", file);
  return all;
}

std::vector<std::string> CorpusOptions::problems() const {
  std::vector<std::string> found;
  const auto require = [&](bool good, const std::string& message) {
    if (!good) found.push_back(message);
  };
  require(!train_source.empty(), "--train-source is missing");
  require(!train_target.empty(), "--train-target is missing");
  require(!valid_source.empty(), "--valid-source is missing");
  require(!valid_target.empty(), "--valid-target is missing");
  require(train_source.size() == train_target.size(),
          "--train-source and --train-target name different numbers of files");
  require(source_tags.empty() || source_tags.size() == train_source.size(),
          "--source-tags has " + std::to_string(source_tags.size()) + " tags for " +
              std::to_string(train_source.size()) +
              " files of --train-source: give one for each, - for none");
  require(corpus_weights.empty() || !sampling_temperature,
          "--corpus-weights and --sampling-temperature exclude each other");
  require(!sampling_temperature || *sampling_temperature > 0.0,
          "--sampling-temperature must be positive");
  for (const std::string& problem : data::weight_problems(corpus_weights, std::ssize(train_source)))
    found.push_back("--corpus-weights: " + problem);
  const auto check_tag = [&](const char* option, const std::string& tag) {
    if (const std::string problem = data::source_tag_problem(tag); !problem.empty())
      found.push_back(std::string(option) + ": " + problem);
  };
  for (const auto& [option, file] : texts()) {
    if (file == "-" || file.empty()) continue;
    require(fs::exists(file), option + ": " + file + " does not exist");
    require(!fs::is_directory(file), option + ": " + file + " is a directory");
  }
  require(filter.min_tokens >= 0, "--min-tokens must not be negative");
  require(filter.max_tokens >= 1, "--max-tokens must be positive");
  require(filter.max_ratio >= 0.0, "--max-ratio must not be negative");
  for (const std::string& tag : tags()) check_tag("--source-tags", tag);
  if (valid_source_tag) check_tag("--valid-source-tag", *valid_source_tag);
  return found;
}

void bind_corpora(OptionTable& table, CorpusOptions& o) {
  table
      .add("train-source", &o.train_source, "FILE...",
           "source side of the training text; each pair of files is a corpus")
      .add("train-target", &o.train_target, "FILE...", "target side, line by line the translations")
      .add("corpus-weights", &o.corpus_weights, "W...",
           "relative shares of the corpora in what is trained on, one each; without them, every "
           "pair comes once an epoch")
      .add("sampling-temperature", &o.sampling_temperature, "T",
           "instead: shares in proportion to size^(1/T); 1: the sizes' own, 5: small corpora count "
           "more, 100: nearly all alike")
      .add("source-tags", &o.source_tags, "TAG...",
           "word before each source line of a corpus, such as <2de> or <bt>, one each; -: none")
      .add("valid-source", &o.valid_source, "FILE", "source side of the validation text")
      .add("valid-target", &o.valid_target, "FILE", "target side of the validation text")
      .add("valid-source-tag", &o.valid_source_tag, "TAG", "word before each line of it")
      .add("min-tokens", &o.filter.min_tokens, "N", "drop pairs with a shorter side")
      .add("max-tokens", &o.filter.max_tokens, "N", "drop pairs with a longer side")
      .add("max-ratio", &o.filter.max_ratio, "X",
           "drop pairs whose lengths differ by more than this factor; 0: keep");
}

data::ParallelCorpus open_training_text(const CorpusOptions& options,
                                        const nmt::Tokenizers& tokenizers,
                                        const std::filesystem::path& cache_folder,
                                        int64_t threads) {
  data::ParallelCorpus train(options.train_files(), *tokenizers.source, *tokenizers.target,
                             options.filter, cache_folder, threads);
  if (train.corpora() > 1) {
    for (int64_t c = 0; c < train.corpora(); ++c) {
      spdlog::info("corpus {}, {}: {}", c + 1, options.train_source[static_cast<size_t>(c)],
                   train.report(c).summary());
    }
  }
  spdlog::info("training text: {}", train.report().summary());
  return train;
}

std::vector<double> corpus_weights(const CorpusOptions& options,
                                   const data::ParallelCorpus& train) {
  std::vector<int64_t> sizes;
  for (int64_t c = 0; c < train.corpora(); ++c) sizes.push_back(train.report(c).kept);
  std::vector<double> weights = options.corpus_weights;
  if (options.sampling_temperature)
    weights = data::temperature_weights(sizes, *options.sampling_temperature);
  if (weights.empty() || sizes.size() == 1) return weights;
  const std::vector<int64_t> shares = data::shared_out(train.size(), weights);
  for (size_t c = 0; c < sizes.size(); ++c) {
    spdlog::info("corpus {}: an epoch has {} pairs of its {}, a share of {:.4f}", c + 1, shares[c],
                 sizes[c], static_cast<double>(shares[c]) / static_cast<double>(train.size()));
  }
  return weights;
}

}  // namespace dietmt::tools
