// dietmt sample: writes the generated sample corpus.
#include <spdlog/spdlog.h>

#include <filesystem>
#include <system_error>

#include "common/error.h"
#include "common/files.h"
#include "common/options.h"
#include "data/sample/generator.h"
#include "tools/commands.h"

namespace dietmt::tools {
namespace {

struct SampleOptions {
  std::string pair = "en-de";
  std::string output;
  data::SampleSizes sizes;
  int64_t seed = 1;
};

// One file a language: <split>.en and <split>.de or .cs.
void write_split(const std::filesystem::path& directory, const std::string& split,
                 const std::string& target_suffix, const std::vector<data::SentencePair>& pairs) {
  std::string source;
  std::string target;
  for (const data::SentencePair& pair : pairs) {
    source += pair.source + '\n';
    target += pair.target + '\n';
  }
  write_file_atomically(directory / (split + ".en"), source);
  write_file_atomically(directory / (split + "." + target_suffix), target);
}

void make_directory(const std::filesystem::path& directory) {
  std::error_code failure;
  std::filesystem::create_directories(directory, failure);
  if (failure) throw Error(directory.string() + ": cannot be created: " + failure.message());
}

}  // namespace

int run_sample(const std::vector<std::string>& arguments) {
  SampleOptions options;
  const OptionRule kPairs{.least = 0, .most = 1'000'000};
  OptionTable table("sample", "--output DIR",
                    "Generates a corpus of sentence pairs for trying dietmt: train.en, valid.en, "
                    "test.en and their translations. The same seed gives the same text.");
  table.group("Corpus")
      .add("pair", &options.pair, "", "en-de: English-German; en-cs: English-Czech",
           {.choices = {"en-de", "en-cs"}})
      .add("output", &options.output, "DIR", "directory to write; made if it does not exist",
           {.required = true})
      .add("pairs", &options.sizes.train, "N", "sentence pairs of the training set", kPairs)
      .add("valid", &options.sizes.valid, "N", "sentence pairs of the validation set", kPairs)
      .add("test", &options.sizes.test, "N", "sentence pairs of the test set", kPairs)
      .add("seed", &options.seed, "N", "random seed of the generator", ranges::kSeed);
  table.example("dietmt sample --output sample --pair en-de");
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  table.check();

  const bool german = options.pair == "en-de";
  const auto language = german ? data::SampleLanguage::kGerman : data::SampleLanguage::kCzech;
  const data::SampleCorpus corpus =
      data::generate_corpus(language, options.sizes, static_cast<uint64_t>(options.seed));
  make_directory(options.output);
  const std::string suffix = german ? "de" : "cs";
  write_split(options.output, "train", suffix, corpus.train);
  write_split(options.output, "valid", suffix, corpus.valid);
  write_split(options.output, "test", suffix, corpus.test);
  spdlog::info("wrote {} + {} + {} {} sentence pairs to {}", corpus.train.size(),
               corpus.valid.size(), corpus.test.size(), options.pair, options.output);
  return 0;
}

}  // namespace dietmt::tools
