// dietmt tokenizer: trains a sentencepiece model.
#include <spdlog/spdlog.h>

#include "common/options.h"
#include "data/text/text_column.h"
#include "data/text/tokenizer.h"
#include "data/text/tokenizer_training.h"
#include "tools/commands.h"
#include "tools/new_tokenizer_options.h"
#include "tools/output_problems.h"

namespace dietmt::tools {

int run_tokenizer(const std::vector<std::string>& arguments) {
  data::TokenizerOptions options;
  std::string output, special = "translation", invalid_utf8 = "refuse";
  auto seed = static_cast<int64_t>(options.seed);
  OptionTable table("tokenizer", "[--input] FILE... --output FILE",
                    "Trains a subword model (sentencepiece) on text with one sentence per line. "
                    "For a joint vocabulary give the text of both languages.");
  table.group("Text")
      .add("input", &options.inputs, "FILE...",
           "training text: plain, compressed or - (standard input)", {.required = true})
      .add("invalid-utf8", &invalid_utf8, "",
           "lines that are not UTF-8: stop with an error, replace ill-formed bytes by "
           "U+FFFD, or skip the line",
           {.choices = {"refuse", "replace", "skip"}})
      .add("sentences", &options.sentences, "N", "train on a random sample of at most N lines",
           {.least = 1})
      .add("seed", &seed, "N", "random seed of the sample", ranges::kSeed);
  table.group("Model");
  bind_new_tokenizer(table, options, "type");
  table
      .add("special", &special, "",
           "special pieces; translation: unknown, begin and end of sentence; bert: [PAD], [UNK], "
           "[CLS], [SEP] and [MASK]",
           {.choices = {"translation", "bert"}})
      .add("tags", &options.tags, "TAG...",
           "words that each become one piece: tags of source lines such as <2de> and <bt>")
      .add("output", &output, "FILE", "model file to write", {.required = true});
  table.group("Machine").add("threads", &options.threads, "N", "threads of the trainer",
                             {.least = 1, .most = 128});
  table.positional("input").example(
      "dietmt tokenizer train.en train.de --vocab-size 16000 --output joint.model");
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  NamedFiles inputs;
  for (const std::string& name : options.inputs)
    inputs.emplace_back("--input", data::TextColumn(name).file);
  table.check(file_output_problems(output, inputs));

  options.seed = static_cast<uint64_t>(seed);
  options.may_shrink = !table.given("vocab-size");
  options.special = data::special_set_from_name(special);
  options.invalid_utf8 = data::invalid_utf8_from_name(invalid_utf8);
  data::train_tokenizer(options, output);
  const data::Tokenizer tokenizer(output);
  spdlog::info("wrote {}: {} model with {} pieces", output, options.type,
               tokenizer.vocabulary_size());
  return 0;
}

}  // namespace dietmt::tools
