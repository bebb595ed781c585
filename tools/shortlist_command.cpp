// dietmt shortlist: makes a lexical shortlist from parallel text, and examines one.
#include <spdlog/spdlog.h>

#include <filesystem>
#include <iomanip>
#include <iostream>
#include <memory>

#include "common/files.h"
#include "common/options.h"
#include "common/process.h"
#include "common/temporary_directory.h"
#include "data/corpus/parallel_corpus.h"
#include "data/shortlist/aligner.h"
#include "data/shortlist/build_shortlist.h"
#include "data/shortlist/shortlist.h"
#include "data/text/text_column.h"
#include "nmt/model/model_files.h"
#include "tools/commands.h"
#include "tools/output_problems.h"
#include "tools/unused_options.h"

namespace dietmt::tools {
namespace fs = std::filesystem;
namespace {

struct ShortlistOptions {
  std::string model, tokenizer, source_tokenizer, target_tokenizer;
  std::vector<std::string> train_source, train_target;
  std::string output, shortlist;
  std::string valid_source, valid_target;
  std::vector<std::string> show;
  data::ShortlistSizes sizes;
  data::AlignerOptions aligner;
  int64_t threads = 0;
};

NamedFiles input_files(const ShortlistOptions& o) {
  NamedFiles files = {{"--tokenizer", o.tokenizer},
                      {"--source-tokenizer", o.source_tokenizer},
                      {"--target-tokenizer", o.target_tokenizer}};
  const auto add = [&](const char* option, const std::string& name) {
    files.emplace_back(option, data::TextColumn(name).file);
  };
  add("--valid-source", o.valid_source);
  add("--valid-target", o.valid_target);
  for (const std::string& name : o.train_source) add("--train-source", name);
  for (const std::string& name : o.train_target) add("--train-target", name);
  return files;
}

std::vector<std::string> problems_of(const OptionTable& table, const ShortlistOptions& o) {
  std::vector<std::string> all = file_output_problems(o.output, input_files(o));
  if (!o.output.empty() && !may_be_replaced(o.output))
    all.push_back("--output " + o.output + " is not a file that can be replaced");
  if (o.output.empty())
    refuse_unused(table,
                  {"train-source", "train-target", "best", "first", "iterations", "largest-table"},
                  "--output", all);
  const auto require = [&](bool holds, const char* problem) {
    if (!holds) all.push_back(problem);
  };
  const int vocabularies = !o.model.empty() + !o.tokenizer.empty() + !o.source_tokenizer.empty();
  require(vocabularies == 1,
          "give one of --model, --tokenizer, or --source-tokenizer with --target-tokenizer");
  require(o.source_tokenizer.empty() == o.target_tokenizer.empty(),
          "give --source-tokenizer and --target-tokenizer together");
  require(o.output.empty() != o.shortlist.empty(),
          "give --output to make a shortlist, or --shortlist to examine one");
  require(o.shortlist.empty() || !o.valid_source.empty() || !o.show.empty(),
          "--shortlist needs --valid-source with --valid-target, or --show");
  if (!o.output.empty()) {
    require(!o.train_source.empty(), "--train-source is missing: --output needs it");
    require(!o.train_target.empty(), "--train-target is missing: --output needs it");
  }
  require(o.train_source.size() == o.train_target.size(),
          "--train-source and --train-target have different numbers of files");
  require(o.valid_source.empty() == o.valid_target.empty(),
          "give --valid-source and --valid-target together");
  return all;
}

OptionTable option_table(ShortlistOptions& o) {
  OptionTable table("shortlist",
                    "--model DIR --train-source FILE... --train-target FILE... --output FILE",
                    "Makes a lexical shortlist: a word aligner learns from parallel text which "
                    "target pieces translate each source piece. 'dietmt translate --shortlist "
                    "FILE' then restricts the output layer to these, which is faster with a large "
                    "vocabulary.");
  table.group("Vocabulary")
      .add("model", &o.model, "DIR", "model that the shortlist is for")
      .add("tokenizer", &o.tokenizer, "FILE",
           "joint sentencepiece model of both languages, instead of --model")
      .add("source-tokenizer", &o.source_tokenizer, "FILE",
           "sentencepiece model of the source language, instead of --model")
      .add("target-tokenizer", &o.target_tokenizer, "FILE",
           "sentencepiece model of the target language, with --source-tokenizer");
  table.group("Make a shortlist")
      .add("train-source", &o.train_source, "FILE...", "source side of parallel text")
      .add("train-target", &o.train_target, "FILE...", "target side, with the same number of lines")
      .add("output", &o.output, "FILE", "shortlist to write")
      .add("best", &o.sizes.best, "N", "most probable target pieces of each source piece",
           {.least = 1, .most = 100'000})
      .add("first", &o.sizes.first, "N",
           "most frequent target pieces, which every shortlist contains",
           {.least = 0, .most = 10'000'000})
      .add("iterations", &o.aligner.iterations, "N", "EM iterations of the word aligner",
           {.least = 1, .most = 1000})
      .add(
          "largest-table", &o.aligner.largest_table, "N",
          "largest number of piece pairs in the aligner's table, about 40 bytes each; beyond that, "
          "the rarest pairs are dropped",
          {.least = 1})
      .add("threads", &o.threads, "N", "threads; 0: one per core; the result does not change",
           {.least = 0, .most = 256});
  table.group("Examine a shortlist")
      .add("shortlist", &o.shortlist, "FILE", "existing shortlist; default: the new one")
      .add("valid-source", &o.valid_source, "FILE", "source text to measure coverage on")
      .add("valid-target", &o.valid_target, "FILE", "its translations")
      .add("show", &o.show, "WORD...", "print the candidates of each piece of these words");
  table.example(
      "dietmt shortlist --model model --train-source train.en --train-target train.de --output "
      "lex.bin");
  return table;
}

nmt::Tokenizers load_tokenizers(const ShortlistOptions& o) {
  if (!o.model.empty()) return nmt::open_model(o.model).tokenizers;
  if (!o.tokenizer.empty()) {
    const auto joint = data::open_tokenizer(o.tokenizer);
    return {joint, joint};
  }
  return {data::open_tokenizer(o.source_tokenizer), data::open_tokenizer(o.target_tokenizer)};
}

// Encodes text that is needed once. The corpus outlives its folder, as its files stay open.
std::unique_ptr<const data::ParallelCorpus> encode(const std::vector<std::string>& sources,
                                                   const std::vector<std::string>& targets,
                                                   const nmt::Tokenizers& tokenizers,
                                                   const TemporaryDirectory& folder,
                                                   int64_t threads) {
  return std::make_unique<const data::ParallelCorpus>(data::corpus_files(sources, targets),
                                                      *tokenizers.source, *tokenizers.target,
                                                      data::LengthFilter{}, folder.path(), threads);
}

void make_shortlist(const ShortlistOptions& o, const nmt::Tokenizers& tokenizers) {
  fs::create_directories(parent_directory(o.output));
  // Next to the output, where there is room for large texts.
  const auto corpus = encode(o.train_source, o.train_target, tokenizers,
                             TemporaryDirectory(o.output + ".corpus-"), o.aligner.threads);
  spdlog::info("text: {}", corpus->report().summary());
  const data::SentencePairs pairs =
      data::sentence_pairs(*corpus, *tokenizers.source, *tokenizers.target);
  const auto tokens = static_cast<double>(corpus->report().target_tokens - corpus->size());
  const data::TranslationTable table =
      data::align(pairs, o.aligner, [&](const data::AlignerIteration& iteration) {
        throw_if_stop_requested();
        spdlog::info("iteration {} of {}: {:.4f} nats per target token, tension {:.3f}, {} pairs",
                     iteration.number, o.aligner.iterations, -iteration.log_likelihood / tokens,
                     iteration.tension, iteration.cells);
        if (iteration.dropped > 0)
          spdlog::warn("dropped {} rare pairs to stay within --largest-table {}", iteration.dropped,
                       o.aligner.largest_table);
      });
  const data::ShortlistContent content =
      data::build_shortlist(table, pairs, *tokenizers.source, *tokenizers.target, o.sizes);
  data::write_shortlist(o.output, content, *tokenizers.source, *tokenizers.target);
  spdlog::info("wrote {}: {} candidates of {} source pieces, {} for every sentence", o.output,
               content.ids.size(), content.bounds.size() - 1, content.always.size());
}

void report_coverage(const ShortlistOptions& o, const nmt::Tokenizers& tokenizers,
                     const data::Shortlist& shortlist) {
  const auto corpus = encode({o.valid_source}, {o.valid_target}, tokenizers, TemporaryDirectory(),
                             o.aligner.threads);
  const data::ShortlistCoverage coverage = data::coverage_of(
      shortlist, data::sentence_pairs(*corpus, *tokenizers.source, *tokenizers.target));
  const auto line = [](const char* name) -> std::ostream& {
    return std::cout << std::left << std::setw(20) << name;
  };
  std::cout << std::fixed;
  line("sentences") << coverage.sentences << '\n';
  line("target tokens") << coverage.tokens << '\n';
  line("covered tokens") << std::setprecision(4) << coverage.token_share() << '\n';
  line("covered sentences") << coverage.sentence_share() << '\n';
  line("mean shortlist size") << std::setprecision(1) << coverage.mean_size() << " of "
                              << shortlist.target_vocabulary() << '\n';
  std::cout << std::defaultfloat << std::setprecision(6);
}

// "piece TAB candidate TAB probability" for each candidate of each piece of the word; imported
// lists have no probabilities.
void show(const std::string& word, const nmt::Tokenizers& tokenizers,
          const data::Shortlist& shortlist) {
  for (const int32_t id : tokenizers.source->encode(word)) {
    const std::span<const int32_t> ids = shortlist.ids(id);
    const std::span<const float> probabilities = shortlist.probabilities(id);
    for (size_t i = 0; i < ids.size(); ++i)
      std::cout << tokenizers.source->piece(id) << '\t' << tokenizers.target->piece(ids[i]) << '\t'
                << (probabilities[i] > 0.0F ? fmt::format("{:g}", probabilities[i]) : "-") << '\n';
  }
}

}  // namespace

int run_shortlist(const std::vector<std::string>& arguments) {
  ShortlistOptions options;
  OptionTable table = option_table(options);
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  table.check(problems_of(table, options));
  options.aligner.threads = options.threads > 0 ? options.threads : usable_cores();

  install_stop_signal();  // so that no encoded text remains
  const nmt::Tokenizers tokenizers = load_tokenizers(options);
  if (!options.output.empty()) make_shortlist(options, tokenizers);
  if (options.valid_source.empty() && options.show.empty()) return 0;
  const data::Shortlist shortlist(options.output.empty() ? options.shortlist : options.output,
                                  *tokenizers.source, *tokenizers.target);
  if (!options.valid_source.empty()) report_coverage(options, tokenizers, shortlist);
  for (const std::string& word : options.show) show(word, tokenizers, shortlist);
  return 0;
}

}  // namespace dietmt::tools
