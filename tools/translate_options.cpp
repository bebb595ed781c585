#include "tools/translate_options.h"

#include "common/error.h"
#include "common/options.h"
#include "tools/decoding_options.h"

namespace dietmt::tools {
namespace {

OptionTable option_table(TranslateOptions& options) {
  nmt::SearchOptions& search = options.search;
  OptionTable table("translate", "--model DIR[,DIR...]",
                    "Translates text line by line: one line out per line in, in order. Lines end "
                    "in LF, or in CR LF, and nowhere else. What has to be cut or replaced is said "
                    "with its line number.");
  table.group("Text")
      .add("model", &options.models, "DIR[,DIR...]",
           "model directory or output directory of train (its best checkpoint); several of one "
           "vocabulary: the average of their probabilities")
      .add("input", &options.input, "FILE", "source text: plain, gzip or - (standard input)")
      .add("output", &options.output, "FILE",
           "translations; a file appears when it is complete, - is standard output")
      .add("prefix", &options.prefix, "FILE",
           "what each translation starts with, one line per input line; empty: nothing given")
      .add("max-source-length", &search.max_source_length, "N",
           "tokens of a line that are translated, with end of sentence; the rest is cut off");
  table.group("Result")
      .add("nbest", &search.nbest, "N",
           "translations per line; above 1: `line ||| text ||| score`, lines numbered from 0")
      .add("scores", &options.scores, "", "the score and a tab before each translation")
      .add("json", &options.json, "",
           R"(one object a line: {"source", "translations": [{"text", "score", "token_scores"}]})")
      .add("flush", &options.flush, "",
           "translate and hand on each line when it comes (dialogue, endless input)");
  table.group("Search")
      .add("beam", &search.beam, "N", "hypotheses kept at each step; 1: greedy search")
      .add("length-penalty", &search.length_penalty, "A",
           "score = sum of log-probabilities / length^A, end of sentence counted; 0: the sum")
      .add("length-norm", &options.length_norm, "NAME",
           "power: divide by length^A; gnmt: by ((5 + length) / 6)^A")
      .add("max-length-factor", &search.max_length_factor, "A",
           "a translation has at most A * source tokens + B tokens")
      .add("max-length-offset", &search.max_length_offset, "B", "the B in that")
      .add("min-length", &search.min_length, "N", "shortest translation, in tokens");
  table.group("Sampling")
      .add("sample", &search.sample, "", "draw translations instead of searching the best")
      .add("top-k", &search.top_k, "N", "from the N most probable tokens; 0: from all")
      .add("top-p", &search.top_p, "P", "from the smallest set of tokens with probability P")
      .add("temperature", &search.temperature, "T", "below 1 sharpens the distribution")
      .add("seed", &options.seed, "N", "seed of the random numbers");
  table.group("Machine");
  add_decoding_device(table, options.device, options.weights);
  table.add("shortlist", &options.shortlist, "FILE",
            "of 'dietmt shortlist': the output layer computes a line's likely pieces alone, on the "
            "CPU; probabilities and scores are those among them");
  add_decoding_workers(table, search.workers, search.batch_tokens);
  add_worker_threads(table, search.threads);
  return table;
}

void check(TranslateOptions& options) {
  std::vector<std::string> problems = options.search.problems();
  if (options.models.empty()) problems.push_back("--model is missing");
  if (options.json && options.scores) problems.push_back("--json holds the scores: leave --scores");
  if (options.input == "-" && options.prefix == "-")
    problems.push_back("--input and --prefix cannot both be standard input");
  if (options.seed < 0) problems.push_back("--seed must not be negative");
  check_weights(options.weights, problems);
  try {
    options.search.length_norm = nmt::parse_length_norm(options.length_norm);
  } catch (const ConfigError& error) {
    problems.push_back(std::string("--length-norm: ") + error.what());
  }
  throw_if_any(problems);
  options.search.seed = static_cast<uint64_t>(options.seed);
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
