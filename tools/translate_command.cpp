// dietmt translate: lines in, lines out.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/options.h"
#include "common/text_io.h"
#include "nmt/translation/line_writer.h"
#include "nmt/translation/text_lines.h"
#include "nmt/translation/translation_stream.h"
#include "nmt/translation/translator.h"
#include "reporting/progress_bar.h"
#include "tools/commands.h"
#include "tools/decoding_options.h"

namespace dietmt::tools {
namespace {

struct TranslateOptions : DecodingOptions {
  std::string input = "-";
  std::string output = "-";
  std::string prefix;
  bool json = false;
  bool scores = false;
  bool flush = false;
};

OptionTable option_table(TranslateOptions& o) {
  nmt::SearchOptions& search = o.search;
  OptionTable table("translate", "--model DIR[,DIR...]",
                    "Translates text line by line and writes one line for each input line, in "
                    "order. Lines end with LF or CR LF; what a line has beyond 1 MiB is cut "
                    "off. Warnings name each line that is cut or repaired.");
  table.group("Text");
  bind_model(table, o);
  table.add("input", &o.input, "FILE", "source text: plain, gzip or - (standard input)")
      .add("output", &o.output, "FILE",
           "translations, or - (standard output); a file appears when it is complete, and "
           "FILE.gz is compressed")
      .add("prefix", &o.prefix, "FILE",
           "forced beginnings of the translations, exactly one for each input line; an empty line "
           "forces nothing");
  bind_source_lines(table, o);
  table.group("Result")
      .add("nbest", &search.nbest, "N",
           "translations per line; above 1 as `line ||| text ||| score`, lines counted from 0",
           nmt::search_rules::kBeam)
      .add("scores", &o.scores, "", "write the score and a tab before each translation")
      .add("json", &o.json, "",
           "write one object a line: "
           R"({"source", "translations": [{"text", "score", "token_scores"}]})")
      .add("flush", &o.flush, "",
           "translate each line as soon as it arrives (for dialogue or endless input)");
  bind_search(table, o);
  table.group("Sampling")
      .add("sample", &search.sample, "", "sample translations instead of beam search")
      .add("top-k", &search.top_k, "N", "sample from the N most probable tokens; 0: from all",
           nmt::search_rules::kTopK)
      .add("top-p", &search.top_p, "P",
           "sample from the smallest set of tokens whose probability reaches P",
           nmt::search_rules::kTopP)
      .add("temperature", &search.temperature, "T",
           "softmax temperature; below 1 sharpens the distribution",
           nmt::search_rules::kTemperature)
      .add("seed", &o.seed, "N", "random seed of sampling", ranges::kSeed);
  bind_decoding_machine(table, o);
  table
      .basics({"input", "output", "nbest", "scores", "json", "flush", "beam", "length-penalty",
               "sample", "device", "weights", "shortlist", "workers", "threads"})
      .example("echo 'Good morning.' | dietmt translate --model model")
      .example("dietmt translate --model model --input test.en --output test.de --beam 4");
  return table;
}

std::vector<std::string> problems_of(TranslateOptions& o) {
  std::vector<std::string> problems = resolve(o);
  if (o.json && o.scores) problems.push_back("--json includes the scores: leave out --scores");
  if (o.input == "-" && o.prefix == "-")
    problems.push_back("--input and --prefix cannot both be standard input");
  return problems;
}

// The output for one input line, without its last line feed.
std::string formatted(const nmt::TranslatedLine& line, const TranslateOptions& o,
                      const data::Tokenizer& tokenizer) {
  if (o.json) {
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
    if (o.search.nbest > 1)
      text += fmt::format("{} ||| {} ||| {:.6f}", line.number - 1, words, found.score);
    else if (o.scores)
      text += fmt::format("{:.6f}\t{}", found.score, words);
    else
      text += words;
  }
  return text;
}

// Opens both inputs before it loads the model.
void translate(const TranslateOptions& o, const DecoderSource& load) {
  LineReader input = nmt::open_text(o.input);
  std::unique_ptr<LineReader> prefixes;
  if (!o.prefix.empty()) prefixes = std::make_unique<LineReader>(nmt::open_text(o.prefix));
  nmt::LoadedDecoder loaded = load();
  const data::Tokenizer& tokenizer = *loaded.target_tokenizer;
  const nmt::Translator translator(std::move(loaded.decoder), o.search);
  nmt::LineWriter output(o.output);

  const bool show_bar = o.input != "-" && reporting::stderr_is_terminal();
  reporting::ProgressBar bar(show_bar ? nmt::count_lines(o.input) : 0);
  int64_t done = 0;
  const auto progress = [&](int64_t lines) {
    done += lines;
    if (show_bar) bar.show(done, "lines");
  };
  const auto emit = [&](std::span<const nmt::TranslatedLine> lines) {
    for (const nmt::TranslatedLine& line : lines) output.write(formatted(line, o, tokenizer));
    return output.flush();
  };
  nmt::translate_stream(translator, *loaded.source_tokenizer, tokenizer, input, prefixes.get(),
                        {.source_tag = o.source_tag.value_or(""), .line_by_line = o.flush}, emit,
                        progress);
  output.commit();
}

}  // namespace

int run_translate(const std::vector<std::string>& arguments) {
  TranslateOptions o;
  OptionTable table = option_table(o);
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  table.check(problems_of(o));
  translate(o, decoder_source(o, !o.prefix.empty(), "translate", arguments));
  return 0;
}

}  // namespace dietmt::tools
