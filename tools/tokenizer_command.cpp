// dietmt tokenizer: trains a sentencepiece model.
#include <spdlog/spdlog.h>

#include "common/error.h"
#include "common/options.h"
#include "data/text/tokenizer.h"
#include "tools/commands.h"

namespace dietmt::tools {

int run_tokenizer(const std::vector<std::string>& arguments) {
  data::TokenizerOptions options;
  std::string output, special = "translation";
  auto seed = static_cast<int64_t>(options.seed);
  OptionTable table("tokenizer", "--input FILE... --output FILE",
                    "Trains a subword model (sentencepiece) on text, one sentence a line. For a "
                    "joint vocabulary give the text of both languages.");
  table.group("Text")
      .add("input", &options.inputs, "FILE...", "text: plain, gzip or - (standard input)")
      .add("sentences", &options.sentences, "N", "train on a sample of N lines if there are more")
      .add("seed", &seed, "N", "seed of that sample");
  table.group("Model")
      .add("type", &options.type, "TYPE",
           "bpe: merges the most frequent pair first; unigram: the most probable segmentation")
      .add("vocab-size", &options.vocabulary_size, "N", "pieces, with the special ones")
      .add("special", &special, "SET",
           "translation: unknown, begin and end of sentence; bert: [PAD], [UNK], [CLS], [SEP] and "
           "[MASK], for encoder-only models")
      .add("tags", &options.tags, "TAG...",
           "words that are a piece each, such as <2de> and <bt>: tags of source lines")
      .add("lowercase", &options.lowercase, "", "upper and lower case are one to the model")
      .add("character-coverage", &options.character_coverage, "SHARE",
           "share of the text's characters that get a piece; 0.9995 for Chinese or Japanese")
      .add("output", &output, "FILE", "the model file to write");
  table.group("Machine").add("threads", &options.threads, "N", "threads of the trainer");
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;

  std::vector<std::string> problems;
  if (options.inputs.empty()) problems.push_back("--input is missing: the text to train on");
  if (output.empty()) problems.push_back("--output is missing: the model file to write");
  if (seed < 0) problems.push_back("--seed must not be negative");
  throw_if_any(problems);

  options.seed = static_cast<uint64_t>(seed);
  options.special = data::special_set_from_name(special);
  data::train_tokenizer(options, output);
  const data::Tokenizer tokenizer(output);
  spdlog::info("wrote {}: {} model of {} pieces", output, options.type,
               tokenizer.vocabulary_size());
  return 0;
}

}  // namespace dietmt::tools
