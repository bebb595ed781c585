#include "tools/corpus_options.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "data/corpus/corpus_shares.h"
#include "data/corpus/parallel_reader.h"
#include "data/text/source_tag.h"
#include "data/text/text_column.h"
#include "tools/new_tokenizer_options.h"

namespace dietmt::tools {
namespace fs = std::filesystem;

namespace {

bool is_tab_separated(const std::string& file) {
  if (!fs::is_regular_file(file)) return false;
  LineReader reader(file, kMaxLineBytes, LongLines::kCut);
  std::string line;
  return reader.next(line) && line.find('\t') != line.npos;
}

// The two columns are easily forgotten.
std::vector<std::string> column_problems(const char* kind, const std::vector<std::string>& sources,
                                         const std::vector<std::string>& targets) {
  std::vector<std::string> found;
  for (size_t i = 0; i < std::min(sources.size(), targets.size()); ++i) {
    const std::string& file = sources[i];
    if (targets[i] == file && is_tab_separated(file))
      found.push_back(fmt::format(
          "--{0}-source and --{0}-target are both {1}, which has columns: give {1}:1 and {1}:2",
          kind, file));
  }
  return found;
}

}  // namespace

data::InvalidUtf8 CorpusOptions::utf8_choice() const {
  return data::invalid_utf8_from_name(invalid_utf8.value_or("refuse"));
}

std::vector<std::pair<std::string, std::string>> CorpusOptions::texts() const {
  std::vector<std::pair<std::string, std::string>> all;
  const auto add = [&](const char* option, const std::vector<std::string>& names) {
    for (const std::string& name : names) all.emplace_back(option, data::TextColumn(name).file);
  };
  add("--valid-source", valid_source);
  add("--valid-target", valid_target);
  add("--train-source", train_source);
  add("--train-target", train_target);
  for (const std::string& name : train_weights)
    if (name != "-") all.emplace_back("--train-weights", data::TextColumn(name).file);
  return all;
}

std::vector<std::string> CorpusOptions::problems(const nmt::ModelLanguages& languages) const {
  std::vector<std::string> found;
  const auto require = [&](bool good, const std::string& message) {
    if (!good) found.push_back(message);
  };
  const auto require_pairs = [&](const std::string& kind, const auto& sources, const auto& targets,
                                 const std::string& tag_option, const auto& tags) {
    require(sources.size() == targets.size(),
            "--" + kind + "-source has " + std::to_string(sources.size()) + " files, --" + kind +
                "-target has " + std::to_string(targets.size()));
    require(tags.empty() || tags.size() == sources.size(),
            tag_option + " has " + std::to_string(tags.size()) + " tags for " +
                std::to_string(sources.size()) + " files of --" + kind +
                "-source: give one for each, - for none");
  };
  require_pairs("train", train_source, train_target, "--source-tags", source_tags);
  require(train_weights.empty() || train_weights.size() == train_source.size(),
          "--train-weights has " + std::to_string(train_weights.size()) + " files for " +
              std::to_string(train_source.size()) +
              " corpora: give one for each, - for one without weights");
  require_pairs("valid", valid_source, valid_target, "--valid-source-tag", valid_source_tags);
  const auto require_languages = [&](const std::string& option, const auto& names, size_t corpora) {
    require(names.size() <= 1 || names.size() == corpora,
            option + " has " + std::to_string(names.size()) + " languages for " +
                std::to_string(corpora) + " corpora: give one for each, or one for all");
  };
  require_languages("--source-languages", source_languages, train_source.size());
  require_languages("--target-languages", target_languages, train_source.size());
  const auto [valid_sources, valid_targets] = valid_language_names();
  require_languages("--valid-source-languages", valid_sources, valid_source.size());
  require_languages("--valid-target-languages", valid_targets, valid_source.size());
  require(!stages || !is_given(),
          "--stages has the weights of the corpora: leave out --corpus-weights and "
          "--sampling-temperature");
  try {
    static_cast<void>(training_stages(*this));
  } catch (const Error& error) {
    found.push_back(std::string("--stages: ") + error.what());
  }
  for (const std::string& problem : mix_problems(std::ssize(train_source)))
    found.push_back(problem);
  for (const auto& [option, file] : texts()) {
    if (file == "-" || file.empty()) continue;
    require(fs::exists(file), option + ": " + file + " does not exist");
    require(!fs::is_directory(file), option + ": " + file + " is a directory");
  }
  for (const auto& problems : {column_problems("train", train_source, train_target),
                               column_problems("valid", valid_source, valid_target)})
    found.insert(found.end(), problems.begin(), problems.end());
  const auto check_tag = [&](const char* option, const std::string& tag) {
    if (const std::string problem = data::source_tag_problem(tag); !problem.empty())
      found.push_back(std::string(option) + ": " + problem);
  };
  for (const std::string& tag : std::set(source_tags.begin(), source_tags.end()))
    if (tag != "-") check_tag("--source-tags", tag);
  for (const std::string& tag : std::set(valid_source_tags.begin(), valid_source_tags.end()))
    if (tag != "-") check_tag("--valid-source-tag", tag);
  if (found.empty()) {
    try {
      static_cast<void>(tags(languages));
    } catch (const DataError& error) {
      found.push_back(std::string("--source-languages, --target-languages: ") + error.what());
    }
  }
  return found;
}

void bind_corpora(OptionTable& table, CorpusOptions& o) {
  table
      .add("train-source", &o.train_source, "FILE...",
           "source side of the training text; each pair of files is a corpus; FILE:2 is the second "
           "column of tab-separated text",
           {.required = true})
      .add("train-target", &o.train_target, "FILE...", "target side, with the same number of lines",
           {.required = true})
      .add("train-weights", &o.train_weights, "FILE...",
           "weights of the pairs in the loss, a number from 0 on each line, such as FILE:3 for the "
           "third column; one file for each corpus, -: none");
  bind_corpus_mix(table, o, "corpus", "pair");
  table
      .add(
          "stages", &o.stages, "FILE",
          "mixtures of the corpora, one after another: a line such as '2 epochs: 1 0' or '20000 "
          "updates: 3 1' has the weights of a stage, as in --corpus-weights, and 'rest: 1 1' those "
          "of the last one")
      .add("source-tags", &o.source_tags, "TAG...",
           "word to put before each source line, such as <2de> or <bt>, one for each corpus; "
           "-: none")
      .add("source-languages", &o.source_languages, "LANG...",
           "language of the source (en, pt-BR, eng_Latn), one for each corpus or one for all, if "
           "the model of --init-from has several")
      .add("target-languages", &o.target_languages, "LANG...",
           "language of the target, likewise; a new model gets these languages, which sources then "
           "begin with (<2de>)")
      .add("valid-source", &o.valid_source, "FILE...",
           "source side of the validation text; each of several texts also gets its own scores, "
           "bleu_1 and so on",
           {.required = true})
      .add("valid-target", &o.valid_target, "FILE...", "target side of the validation text",
           {.required = true})
      .add("valid-source-tag", &o.valid_source_tags, "TAG...",
           "word to put before each source line of the validation text, one for each text; -: none")
      .add("valid-source-languages", &o.valid_source_languages, "LANG...",
           "as --source-languages, of the validation texts; default: those of the training text")
      .add("valid-target-languages", &o.valid_target_languages, "LANG...", "likewise")
      .add("invalid-utf8", &o.invalid_utf8, "",
           "lines that are not UTF-8: stop with an error, replace ill-formed bytes by "
           "U+FFFD, or skip the pair; default: refuse",
           {.choices = {"refuse", "replace", "skip"}})
      .add("allow-unknown", &o.allows_unknown, "",
           "train on text even if more than 5 % of its pieces are unknown to the tokenizer")
      .add("min-tokens", &o.filter.min_tokens, "N", "drop pairs with a side shorter than N tokens",
           {.least = 0})
      .add("max-tokens", &o.filter.max_tokens, "N", "drop pairs with a side longer than N tokens",
           {.least = 1})
      .add("max-ratio", &o.filter.max_ratio, "X",
           "drop pairs whose lengths differ by more than this factor; 0: keep all", {.least = 0});
}

std::vector<std::string> SubwordOptions::problems(bool has_tokenizers) const {
  std::vector<std::string> found;
  if (tokenizers.source.empty() != tokenizers.target.empty())
    found.emplace_back("give --source-tokenizer and --target-tokenizer together");
  if (!tokenizers.joint.empty() && !tokenizers.source.empty())
    found.emplace_back("--tokenizer and --source-tokenizer cannot be combined");
  if (subword_sampling && bpe_dropout)
    found.emplace_back("--subword-sampling and --bpe-dropout cannot be combined");
  if (sampled_sides && !subword_sampling && !bpe_dropout)
    found.emplace_back("--sampled-sides needs --subword-sampling or --bpe-dropout");
  try {
    static_cast<void>(data::AugmentationRates::parse(augment.value_or("")));
  } catch (const ConfigError& error) {
    found.push_back(std::string("--augment: ") + error.what());
  }
  if (given() || has_tokenizers) return found;
  if (tokenizers.target_normalization.value_or(tokenizers.options.normalization) !=
          tokenizers.options.normalization &&
      tokenizers.options.lowercase)
    found.emplace_back("--lowercase and --target-normalization cannot be combined");
  if (subword_sampling && tokenizers.options.type != "unigram") {
    found.emplace_back(
        "--subword-sampling is for unigram tokenizers: add --tokenizer-type unigram, or use "
        "--bpe-dropout");
  }
  if (bpe_dropout && tokenizers.options.type != "bpe") {
    found.emplace_back(
        "--bpe-dropout is for BPE tokenizers: leave --tokenizer-type, or use --subword-sampling");
  }
  return found;
}

data::PairDrawing SubwordOptions::drawing(const nmt::Tokenizers& pair,
                                          const std::vector<std::string>& tags,
                                          int64_t longest) const {
  data::PairDrawing drawing;
  drawing.longest = longest;
  if (augment) {
    try {
      drawing.augmentation = std::make_shared<data::Augmentation>(
          data::AugmentationRates::parse(*augment), pair.source, pair.target, tags);
    } catch (const ConfigError& error) {
      throw ConfigError(std::string("--augment: ") + error.what());
    }
  }
  if (!subword_sampling && !bpe_dropout) return drawing;
  const auto sampler = [&](const data::Tokenizer& tokenizer) {
    return subword_sampling ? data::unigram_sampler(tokenizer, *subword_sampling)
                            : data::bpe_dropout(tokenizer, *bpe_dropout);
  };
  const std::string sides = sampled_sides.value_or("both");
  if (sides != "target") drawing.source = sampler(*pair.source);
  if (sides != "source") {
    const bool joint = drawing.source && pair.source == pair.target;
    drawing.target = joint ? drawing.source : sampler(*pair.target);
  }
  return drawing;
}

void bind_subwords(OptionTable& table, SubwordOptions& o) {
  nmt::TokenizerChoice& t = o.tokenizers;
  table.group("Subwords")
      .add("tokenizer", &t.joint, "FILE",
           "joint sentencepiece model of both languages, or the vocabulary of text that is already "
           "cut into pieces (fairseq's dict.txt, Marian's vocab.yml, or a piece in each line); "
           "default: train one on the training text")
      .add("source-tokenizer", &t.source, "FILE",
           "sentencepiece model or vocabulary of the source language")
      .add("target-tokenizer", &t.target, "FILE",
           "sentencepiece model or vocabulary of the target language")
      .add("separate-tokenizers", &t.separate, "",
           "train one model for each language instead of a joint one")
      .add("subword-sampling", &o.subword_sampling, "ALPHA",
           "sample new pieces for each sentence in each epoch, with a unigram model (Kudo "
           "2018); 0.1 to 0.5 is common, smaller values sample rarer pieces",
           {.above = 0, .most = 100})
      .add("bpe-dropout", &o.bpe_dropout, "P",
           "skip each merge of a BPE model with this probability, anew in each epoch "
           "(Provilkov et al. 2020); 0.1 is common",
           {.above = 0, .below = 1})
      .add("sampled-sides", &o.sampled_sides, "",
           "sides that --subword-sampling and --bpe-dropout apply to; default: both",
           {.choices = {"both", "source", "target"}})
      .add("augment", &o.augment, "CHANGE:SHARE,...",
           "change the text of a share of the pairs, anew in each epoch: upper, title and lower "
           "change the case of both sides, typos makes errors in the source, noise puts random "
           "characters in place of both; such as upper:0.05,title:0.05,typos:0.03");
  table.group("New tokenizer");
  bind_new_tokenizer(table, t.options, "tokenizer-type");
  table.add("target-normalization", &t.target_normalization, "",
            "--normalization of the target language, so that translations have characters such as "
            "½ that the source may unite with others; default: the same for both languages",
            normalization_rule());
}

std::vector<std::string> subword_training_options() {
  std::vector<std::string> names = new_tokenizer_options();
  names.insert(names.end(), {"separate-tokenizers", "target-normalization"});
  return names;
}

std::vector<std::string> vocabulary_contradictions(const OptionTable& table,
                                                   const SubwordOptions& o,
                                                   const nmt::ModelFiles& model) {
  std::vector<std::string> found;
  const std::string name = model.directory.string();
  const auto compare = [&](const char* option, const std::string& file,
                           const data::Tokenizer& kept) {
    if (file.empty()) return;
    const auto given = data::open_tokenizer(file);
    if (given->serialized() == kept.serialized()) return;
    found.push_back(
        fmt::format("--{} {} ({} pieces) differs from {} ({} pieces), which --init-from keeps",
                    option, file, given->vocabulary_size(), kept.file(), kept.vocabulary_size()));
  };
  const data::Tokenizer& source = *model.tokenizers.source;
  const data::Tokenizer& target = *model.tokenizers.target;
  compare("tokenizer", o.tokenizers.joint, source);
  if (&target != &source) compare("tokenizer", o.tokenizers.joint, target);
  compare("source-tokenizer", o.tokenizers.source, source);
  compare("target-tokenizer", o.tokenizers.target, target);
  const int64_t size = o.tokenizers.options.vocabulary_size;
  if (table.given("vocab-size") &&
      (size != source.vocabulary_size() || size != target.vocabulary_size())) {
    found.push_back(fmt::format("--vocab-size is {}, but {} has {}, which --init-from keeps", size,
                                name, source.vocabulary_size()));
  }
  for (const std::string& option : subword_training_options()) {
    if (option != "vocab-size" && table.given(option)) {
      found.push_back(fmt::format(
          "--{} is for training tokenizers, but --init-from keeps those of {}", option, name));
    }
  }
  return found;
}

std::vector<std::string> unused_subword_options(const OptionTable& table, const SubwordOptions& o,
                                                const nmt::Tokenizers& given) {
  std::vector<std::string> found = ignored_without_training(table);
  for (const data::Tokenizer* tokenizer : {given.source.get(), given.target.get()}) {
    for (std::string& warning :
         ignored_by_tokenizer(table, o.tokenizers.options.vocabulary_size, tokenizer->file(),
                              tokenizer->vocabulary_size()))
      found.push_back(std::move(warning));
    if (given.source == given.target) break;
  }
  if (table.given("target-normalization"))
    found.emplace_back("--target-normalization is ignored: no tokenizer is trained");
  if (o.tokenizers.separate && given.source == given.target)
    found.emplace_back("--separate-tokenizers is ignored: --tokenizer is for both languages");
  return found;
}

void check_texts(const CorpusOptions& o, const nmt::ModelLanguages& languages) {
  std::vector<data::CorpusFiles> texts = o.train_files(languages);
  for (const data::CorpusFiles& files : o.valid_files(languages))
    texts.insert(texts.begin(), files);
  const auto can_be_read_again = [](const std::string& name) {
    return fs::is_regular_file(data::TextColumn(name).file);
  };
  for (const data::CorpusFiles& files : texts)
    if (can_be_read_again(files.source) && can_be_read_again(files.target) &&
        (files.weights.empty() || can_be_read_again(files.weights)))
      data::check_parallel_text(files);
}

data::ParallelCorpus open_training_text(const CorpusOptions& o,
                                        const nmt::ModelLanguages& languages,
                                        const nmt::Tokenizers& tokenizers,
                                        const std::filesystem::path& cache_folder, int64_t threads,
                                        const data::SentenceContext& context, data::CacheUse use) {
  data::ParallelCorpus train(o.train_files(languages), *tokenizers.source, *tokenizers.target,
                             o.filter, cache_folder, threads, context, use);
  if (train.corpora() > 1) {
    for (int64_t c = 0; c < train.corpora(); ++c) {
      spdlog::info("corpus {}, {}: {}", c + 1, o.train_source[static_cast<size_t>(c)],
                   train.report(c).summary());
    }
  }
  spdlog::info("training text: {}", train.report().summary());
  return train;
}

std::vector<data::Stage> training_stages(const CorpusOptions& o) {
  if (!o.stages) return {};
  return data::read_stages(*o.stages, std::ssize(o.train_source));
}

std::vector<double> corpus_weights(const CorpusOptions& o, const data::ParallelCorpus& train) {
  std::vector<int64_t> sizes;
  for (int64_t c = 0; c < train.corpora(); ++c) sizes.push_back(train.report(c).kept);
  std::vector<double> weights = o.weights(sizes);
  if (weights.empty() || sizes.size() == 1) return weights;
  const std::vector<int64_t> shares = data::shared_out(train.size(), weights);
  for (size_t c = 0; c < sizes.size(); ++c) {
    spdlog::info("corpus {}: each epoch draws {} pairs from its {}, a share of {:.4f}", c + 1,
                 shares[c], sizes[c],
                 static_cast<double>(shares[c]) / static_cast<double>(train.size()));
  }
  return weights;
}

}  // namespace dietmt::tools
