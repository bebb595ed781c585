// The text of `dietmt train`: its corpora with their shares and tags, and its subwords.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/options.h"
#include "data/corpus/pair_drawing.h"
#include "data/corpus/parallel_corpus.h"
#include "data/corpus/stages.h"
#include "nmt/model/model_files.h"
#include "nmt/training/training_tokenizers.h"
#include "tools/corpus_mix.h"

namespace dietmt::tools {

struct CorpusOptions : CorpusMix {
  std::vector<std::string> train_source, train_target;
  std::vector<std::string> train_weights;  // "-": none
  std::optional<std::string> stages;       // file
  std::vector<std::string> source_tags;    // "-": none
  std::vector<std::string> valid_source, valid_target;
  std::vector<std::string> valid_source_tags;  // "-": none
  // Of each corpus, or one for all; only for a model of several languages.
  std::vector<std::string> source_languages, target_languages;
  std::vector<std::string> valid_source_languages, valid_target_languages;  // empty: those above
  std::optional<std::string> invalid_utf8;
  bool allows_unknown = false;
  data::LengthFilter filter;

  /// The languages of a new model: those of target_languages, with tags such as `<2de>`.
  nmt::ModelLanguages new_languages() const;
  /// The files with their tags in a model of `languages`. Throw DataError for languages that it
  /// does not have.
  std::vector<data::CorpusFiles> train_files(const nmt::ModelLanguages& languages) const;
  std::vector<data::CorpusFiles> valid_files(const nmt::ModelLanguages& languages) const;
  /// The names of the languages of the validation texts.
  std::pair<const std::vector<std::string>&, const std::vector<std::string>&> valid_language_names()
      const;
  /// What the options say of each validation text.
  std::vector<nmt::LanguageChoice> valid_choices() const;
  /// The files of all text, without their columns, each with its option.
  std::vector<std::pair<std::string, std::string>> texts() const;
  /// What becomes of lines that are not UTF-8.
  data::InvalidUtf8 utf8_choice() const;
  /// The tags of all files in a model of `languages`, each once.
  std::vector<std::string> tags(const nmt::ModelLanguages& languages) const;
  /// All problems that the option table does not see, one sentence each.
  std::vector<std::string> problems(const nmt::ModelLanguages& languages) const;
};

/// Adds them to the current group.
void bind_corpora(OptionTable& table, CorpusOptions& o);

struct SubwordOptions {
  nmt::TokenizerChoice tokenizers;
  std::optional<double> subword_sampling;  // of unigram models
  std::optional<double> bpe_dropout;
  std::optional<std::string> sampled_sides;
  std::optional<std::string> augment;

  bool one_each() const { return tokenizers.separate || !tokenizers.source.empty(); }
  /// Whether they are files that exist already.
  bool given() const { return !tokenizers.joint.empty() || !tokenizers.source.empty(); }
  /// `has_tokenizers`: an initial model brings them.
  std::vector<std::string> problems(bool has_tokenizers) const;
  bool draws_pairs() const { return subword_sampling || bpe_dropout || augment; }
  /// `tags`: words before sources. Throws ConfigError if a tokenizer is of another kind than the
  /// options.
  data::PairDrawing drawing(const nmt::Tokenizers& tokenizers, const std::vector<std::string>& tags,
                            int64_t longest) const;
};

/// Adds them as the group "Subwords".
void bind_subwords(OptionTable& table, SubwordOptions& o);

/// The names of those that do nothing if there are tokenizers.
std::vector<std::string> subword_training_options();

/// A sentence for each option that contradicts the subwords of `model`, which --init-from keeps.
std::vector<std::string> vocabulary_contradictions(const OptionTable& table,
                                                   const SubwordOptions& o,
                                                   const nmt::ModelFiles& model);

/// A sentence for each option for training tokenizers that does not agree with the `given` ones.
/// Not refused: a config file has these options also for runs that train their tokenizer.
std::vector<std::string> unused_subword_options(const OptionTable& table, const SubwordOptions& o,
                                                const nmt::Tokenizers& given);

/// Reads all text that can be read twice. Throws DataError with file:line: not UTF-8, or one side
/// is shorter.
void check_texts(const CorpusOptions& o, const nmt::ModelLanguages& languages);

/// The training text, encoded or mapped from `cache_folder`; logs how many pairs were kept.
data::ParallelCorpus open_training_text(const CorpusOptions& o,
                                        const nmt::ModelLanguages& languages,
                                        const nmt::Tokenizers& tokenizers,
                                        const std::filesystem::path& cache_folder, int64_t threads,
                                        const data::SentenceContext& context, data::CacheUse use);

/// The stages of --stages; none without it. Throws ConfigError with file:line.
std::vector<data::Stage> training_stages(const CorpusOptions& o);

/// The weights of its corpora (data::BatchOptions); logs the shares they result in.
std::vector<double> corpus_weights(const CorpusOptions& o, const data::ParallelCorpus& train);

}  // namespace dietmt::tools
