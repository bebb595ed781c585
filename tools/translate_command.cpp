// dietmt translate: translates lines of text.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/options.h"
#include "common/text_io.h"
#include "nmt/decoding/decoder_loader.h"
#include "nmt/decoding/engine/engine_files.h"
#include "nmt/decoding/line_writer.h"
#include "nmt/decoding/text_lines.h"
#include "nmt/decoding/translation_stream.h"
#include "nmt/decoding/translator.h"
#include "tools/commands.h"
#include "tools/device.h"
#include "training/progress_bar.h"

namespace dietmt::tools {
namespace {

struct TranslateOptions {
  std::string models;
  std::string input = "-";
  std::string output = "-";
  std::string prefix;
  bool json = false;
  bool scores = false;
  bool flush = false;
  std::string length_norm = "power";
  std::string device = "cpu";
  std::string weights = "auto";
  std::string shortlist;
  int64_t seed = 1;
  nmt::SearchOptions search;
};

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
  table.group("Machine")
      .add("device", &options.device, "NAME", "cpu, cuda or cuda:I")
      .add("weights", &options.weights, "NAME",
           "fp32, bf16 or int8: what the weights are rounded to on the CPU when they are loaded; "
           "auto: fp32, or what 'dietmt quantize' made of them")
      .add("shortlist", &options.shortlist, "FILE",
           "of 'dietmt shortlist': the output layer computes a line's likely pieces alone, on the "
           "CPU; probabilities and scores are those among them")
      .add("workers", &search.workers, "N",
           "decode side by side on the CPU, with one copy of the weights; 0: one per core")
      .add("threads", &search.threads, "N",
           "threads of each worker: more make a single sentence faster, more workers a file")
      .add("batch-tokens", &search.batch_tokens, "N",
           "source tokens decoded together, per worker; changes speed and memory, not results");
  return table;
}

void check(TranslateOptions& options) {
  std::vector<std::string> problems = options.search.problems();
  if (options.models.empty()) problems.push_back("--model is missing");
  if (options.json && options.scores) problems.push_back("--json holds the scores: leave --scores");
  if (options.input == "-" && options.prefix == "-")
    problems.push_back("--input and --prefix cannot both be standard input");
  if (options.seed < 0) problems.push_back("--seed must not be negative");
  try {
    nmt::parse_weight_choice(options.weights);
  } catch (const ConfigError& error) {
    problems.push_back(std::string("--weights: ") + error.what());
  }
  try {
    options.search.length_norm = nmt::parse_length_norm(options.length_norm);
  } catch (const ConfigError& error) {
    problems.push_back(std::string("--length-norm: ") + error.what());
  }
  throw_if_any(problems);
  options.search.seed = static_cast<uint64_t>(options.seed);
}

// The output of one input line, without its last line feed.
std::string formatted(const nmt::TranslatedLine& line, const TranslateOptions& options,
                      const data::Tokenizer& tokenizer) {
  if (options.json) {
    auto translations = nlohmann::ordered_json::array();
    for (const nmt::Hypothesis& found : line.translations) {
      translations.push_back({{"text", nmt::decode_line(tokenizer, found.ids)},
                              {"score", found.score},
                              {"token_scores", found.token_scores}});
    }
    return nlohmann::ordered_json{{"source", line.source}, {"translations", translations}}.dump();
  }
  std::string text;
  for (const nmt::Hypothesis& found : line.translations) {
    if (!text.empty()) text += '\n';
    const std::string words = nmt::decode_line(tokenizer, found.ids);
    if (options.search.nbest > 1)
      text += fmt::format("{} ||| {} ||| {:.6f}", line.number - 1, words, found.score);
    else if (options.scores)
      text += fmt::format("{:.6f}\t{}", found.score, words);
    else
      text += words;
  }
  return text;
}

}  // namespace

int run_translate(const std::vector<std::string>& arguments) {
  TranslateOptions options;
  OptionTable table = option_table(options);
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  check(options);
  LineReader input(options.input);
  std::unique_ptr<LineReader> prefixes;
  if (!options.prefix.empty()) prefixes = std::make_unique<LineReader>(options.prefix);
  nmt::LoadedDecoder loaded =
      nmt::load_decoder(options.models, {.device = parse_device(options.device),
                                         .weights = nmt::parse_weight_choice(options.weights),
                                         .shortlist = options.shortlist});
  const data::Tokenizer& tokenizer = *loaded.target_tokenizer;
  const nmt::Translator translator(std::move(loaded.decoder), options.search);
  nmt::LineWriter output(options.output);

  const bool show_bar = options.input != "-" && training::stderr_is_terminal();
  training::ProgressBar bar(show_bar ? nmt::count_lines(options.input) : 0);
  int64_t done = 0;
  const auto progress = [&](int64_t lines) {
    done += lines;
    if (show_bar) bar.show(done, "lines");
  };
  const auto emit = [&](std::span<const nmt::TranslatedLine> lines) {
    for (const nmt::TranslatedLine& line : lines) output.write(formatted(line, options, tokenizer));
    return output.flush();
  };
  nmt::translate_stream(translator, *loaded.source_tokenizer, tokenizer, input, prefixes.get(),
                        {.line_by_line = options.flush}, emit, progress);
  output.commit();
  return 0;
}

}  // namespace dietmt::tools
