// dietmt shortlist: makes a lexical shortlist from parallel text, and looks into one.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <memory>
#include <thread>

#include "common/atomic_file.h"
#include "common/error.h"
#include "common/options.h"
#include "data/corpus/parallel_corpus.h"
#include "data/shortlist/aligner.h"
#include "data/shortlist/build_shortlist.h"
#include "data/shortlist/shortlist.h"
#include "nmt/model/model_files.h"
#include "storage/checkpoint.h"
#include "tools/commands.h"

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

  std::vector<std::string> problems() const;
};

std::vector<std::string> ShortlistOptions::problems() const {
  std::vector<std::string> all;
  const auto require = [&](bool holds, const char* problem) {
    if (!holds) all.push_back(problem);
  };
  const int vocabularies = !model.empty() + !tokenizer.empty() + !source_tokenizer.empty();
  require(vocabularies == 1,
          "give one of --model, --tokenizer, or --source-tokenizer with --target-tokenizer");
  require(source_tokenizer.empty() == target_tokenizer.empty(),
          "--source-tokenizer and --target-tokenizer go together");
  require(output.empty() != shortlist.empty(),
          "give --output, the file to write, or --shortlist, a file to look into");
  if (!output.empty()) {
    require(!train_source.empty(), "--train-source is missing");
    require(!train_target.empty(), "--train-target is missing");
  }
  require(train_source.size() == train_target.size(),
          "--train-source and --train-target name different numbers of files");
  require(valid_source.empty() == valid_target.empty(),
          "--valid-source and --valid-target go together");
  require(sizes.best >= 1, "--best must be positive");
  require(sizes.first >= 0, "--first must not be negative");
  require(aligner.iterations >= 1, "--iterations must be positive");
  require(aligner.largest_table >= 1, "--largest-table must be positive");
  require(threads >= 0, "--threads must not be negative");
  return all;
}

void bind(OptionTable& table, ShortlistOptions& o) {
  table.group("Vocabulary")
      .add("model", &o.model, "DIR", "the model that the shortlist is for")
      .add("tokenizer", &o.tokenizer, "FILE", "or the sentencepiece model of both its sides")
      .add("source-tokenizer", &o.source_tokenizer, "FILE", "or that of its source")
      .add("target-tokenizer", &o.target_tokenizer, "FILE", "and that of its target");
  table.group("Making a shortlist")
      .add("train-source", &o.train_source, "FILE...", "source side of parallel text")
      .add("train-target", &o.train_target, "FILE...", "target side, line by line the translations")
      .add("output", &o.output, "FILE", "the shortlist to write")
      .add("best", &o.sizes.best, "N", "most probable target pieces of each source piece")
      .add("first", &o.sizes.first, "N", "most frequent target pieces, for every sentence")
      .add("iterations", &o.aligner.iterations, "N", "iterations of the word aligner")
      .add("largest-table", &o.aligner.largest_table, "N",
           "pairs of pieces that the aligner keeps, about 40 bytes each; of more than these the "
           "rarest are dropped")
      .add("threads", &o.threads, "N", "0: one per core; the result does not depend on it");
  table.group("Looking into a shortlist")
      .add("shortlist", &o.shortlist, "FILE", "a shortlist made before; without it, the new one")
      .add("valid-source", &o.valid_source, "FILE", "text to measure the shortlist on")
      .add("valid-target", &o.valid_target, "FILE", "its translations")
      .add("show", &o.show, "WORD...", "print the candidates of each piece of these words");
}

nmt::Tokenizers load_tokenizers(const ShortlistOptions& o) {
  if (!o.model.empty()) return nmt::load_tokenizers(storage::resolve_model_directory(o.model));
  if (!o.tokenizer.empty()) {
    const auto joint = std::make_shared<data::Tokenizer>(o.tokenizer);
    return {joint, joint};
  }
  return {std::make_shared<data::Tokenizer>(o.source_tokenizer),
          std::make_shared<data::Tokenizer>(o.target_tokenizer)};
}

// Encoded text that is needed once: its files have no name any more and go with the program.
std::unique_ptr<const data::ParallelCorpus> encode(const std::vector<std::string>& sources,
                                                   const std::vector<std::string>& targets,
                                                   const nmt::Tokenizers& tokenizers,
                                                   const fs::path& folder, int64_t threads) {
  auto corpus = std::make_unique<const data::ParallelCorpus>(data::corpus_files(sources, targets),
                                                             *tokenizers.source, *tokenizers.target,
                                                             data::LengthFilter{}, folder, threads);
  fs::remove_all(folder);
  return corpus;
}

void make_shortlist(const ShortlistOptions& o, const nmt::Tokenizers& tokenizers) {
  const auto corpus =
      encode(o.train_source, o.train_target, tokenizers, o.output + ".corpus", o.aligner.threads);
  spdlog::info("text: {}", corpus->report().summary());
  const data::SentencePairs pairs =
      data::sentence_pairs(*corpus, *tokenizers.source, *tokenizers.target);
  const auto tokens = static_cast<double>(corpus->report().target_tokens - corpus->size());
  const data::TranslationTable table =
      data::align(pairs, o.aligner, [&](const data::AlignerIteration& iteration) {
        spdlog::info("iteration {} of {}: {:.4f} nats per target token, tension {:.3f}, {} pairs",
                     iteration.number, o.aligner.iterations, -iteration.log_likelihood / tokens,
                     iteration.tension, iteration.cells);
        if (iteration.dropped > 0)
          spdlog::warn("{} rare pairs were dropped to stay within --largest-table {}",
                       iteration.dropped, o.aligner.largest_table);
      });
  const data::ShortlistContent content =
      data::build_shortlist(table, pairs, *tokenizers.source, *tokenizers.target, o.sizes);
  data::write_shortlist(o.output, content, *tokenizers.source, *tokenizers.target);
  spdlog::info("wrote {}: {} candidates of {} source pieces, {} for every sentence", o.output,
               content.ids.size(), content.bounds.size() - 1, content.always.size());
}

void report_coverage(const ShortlistOptions& o, const nmt::Tokenizers& tokenizers,
                     const data::Shortlist& shortlist) {
  const fs::path scratch = temporary_name(fs::temp_directory_path() / "dietmt-shortlist");
  const auto corpus =
      encode({o.valid_source}, {o.valid_target}, tokenizers, scratch, o.aligner.threads);
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

// "piece TAB candidate TAB probability" for each candidate of each piece of the word.
void show(const std::string& word, const nmt::Tokenizers& tokenizers,
          const data::Shortlist& shortlist) {
  for (const int32_t id : tokenizers.source->encode(word)) {
    const std::span<const int32_t> ids = shortlist.ids(id);
    const std::span<const float> probabilities = shortlist.probabilities(id);
    for (size_t i = 0; i < ids.size(); ++i)
      std::cout << tokenizers.source->piece(id) << '\t' << tokenizers.target->piece(ids[i]) << '\t'
                << probabilities[i] << '\n';
  }
}

}  // namespace

int run_shortlist(const std::vector<std::string>& arguments) {
  ShortlistOptions options;
  OptionTable table("shortlist",
                    "--model DIR --train-source FILE... --train-target FILE... --output FILE",
                    "Makes a lexical shortlist: for each source piece the target pieces that its "
                    "translations use, learnt from parallel text by a word aligner. 'dietmt "
                    "translate --shortlist FILE' then scores these pieces alone, which is faster "
                    "with a large vocabulary.");
  bind(table, options);
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  throw_if_any(options.problems());
  options.aligner.threads =
      options.threads > 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());

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
