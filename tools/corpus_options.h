// What `dietmt train` is trained and validated on: corpora with their shares and tags.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/options.h"
#include "data/corpus/parallel_corpus.h"
#include "nmt/model/model_files.h"

namespace dietmt::tools {

struct CorpusOptions {
  std::vector<std::string> train_source, train_target;
  std::vector<double> corpus_weights;
  std::optional<double> sampling_temperature;
  std::vector<std::string> source_tags;  // "-": none
  std::string valid_source, valid_target;
  std::optional<std::string> valid_source_tag;
  data::LengthFilter filter;

  /// The training files with their tags, and the validation files with theirs.
  std::vector<data::CorpusFiles> train_files() const;
  data::CorpusFiles valid_files() const;
  /// The files of all text, each beside its option.
  std::vector<std::pair<std::string, std::string>> texts() const;
  /// The tags of the training files, each once.
  std::vector<std::string> tags() const;
  /// All that is wrong, one sentence each.
  std::vector<std::string> problems() const;
};

/// Adds them to the present group.
void bind_corpora(OptionTable& table, CorpusOptions& options);

/// The training text, encoded or mapped from `cache_folder`; says in the log what was kept.
data::ParallelCorpus open_training_text(const CorpusOptions& options,
                                        const nmt::Tokenizers& tokenizers,
                                        const std::filesystem::path& cache_folder, int64_t threads);

/// The shares of its corpora (data::BatchOptions); says in the log what they come to.
std::vector<double> corpus_weights(const CorpusOptions& options, const data::ParallelCorpus& train);

}  // namespace dietmt::tools
