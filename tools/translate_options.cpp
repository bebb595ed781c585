#include "tools/translate_options.h"

#include "common/error.h"
#include "common/options.h"

namespace dietmt::tools {
namespace {

OptionTable option_table(TranslateOptions& options) {
  nmt::SearchOptions& search = options.search;
  OptionTable table("translate", "--model DIR[,DIR...]",
                    "Translates text line by line: one line out per line in, in order. Lines end "
                    "in LF, or in CR LF, and nowhere else. What has to be cut or replaced is said "
                    "with its line number.");
  table.group("Text");
  bind_model(table, options);
  table.add("input", &options.input, "FILE", "source text: plain, gzip or - (standard input)")
      .add("output", &options.output, "FILE",
           "translations; a file appears when it is complete, - is standard output")
      .add("prefix", &options.prefix, "FILE",
           "what each translation starts with, one line per input line; empty: nothing given");
  bind_source_lines(table, options);
  table.group("Result")
      .add("nbest", &search.nbest, "N",
           "translations per line; above 1: `line ||| text ||| score`, lines numbered from 0")
      .add("scores", &options.scores, "", "the score and a tab before each translation")
      .add("json", &options.json, "",
           R"(one object a line: {"source", "translations": [{"text", "score", "token_scores"}]})")
      .add("flush", &options.flush, "",
           "translate and hand on each line when it comes (dialogue, endless input)");
  bind_search(table, options);
  table.group("Sampling")
      .add("sample", &search.sample, "", "draw translations instead of searching the best")
      .add("top-k", &search.top_k, "N", "from the N most probable tokens; 0: from all")
      .add("top-p", &search.top_p, "P", "from the smallest set of tokens with probability P")
      .add("temperature", &search.temperature, "T",
           "from 0.001 to 1000; below 1 sharpens the distribution")
      .add("seed", &options.seed, "N", "seed of the random numbers");
  bind_decoding_machine(table, options);
  return table;
}

void check(TranslateOptions& options) {
  std::vector<std::string> problems = resolve(options);
  if (options.json && options.scores) problems.push_back("--json holds the scores: leave --scores");
  if (options.input == "-" && options.prefix == "-")
    problems.push_back("--input and --prefix cannot both be standard input");
  throw_if_any(problems);
}

}  // namespace

std::optional<TranslateOptions> parse_translate(const std::vector<std::string>& arguments) {
  TranslateOptions options;
  OptionTable table = option_table(options);
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return {};
  check(options);
  return options;
}

}  // namespace dietmt::tools
