#include "tools/translate_text.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "common/text_io.h"
#include "nmt/translation/line_writer.h"
#include "nmt/translation/text_lines.h"
#include "nmt/translation/translation_stream.h"
#include "nmt/translation/translator.h"
#include "reporting/progress_bar.h"

namespace dietmt::tools {
namespace {

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

void translate_text(const TranslateOptions& options, const DecoderSource& load) {
  LineReader input(options.input);
  std::unique_ptr<LineReader> prefixes;
  if (!options.prefix.empty()) prefixes = std::make_unique<LineReader>(options.prefix);
  nmt::LoadedDecoder loaded = load();
  const data::Tokenizer& tokenizer = *loaded.target_tokenizer;
  const nmt::Translator translator(std::move(loaded.decoder), options.search);
  nmt::LineWriter output(options.output);

  const bool show_bar = options.input != "-" && reporting::stderr_is_terminal();
  reporting::ProgressBar bar(show_bar ? nmt::count_lines(options.input) : 0);
  int64_t done = 0;
  const auto progress = [&](int64_t lines) {
    done += lines;
    if (show_bar) bar.show(done, "lines");
  };
  const auto emit = [&](std::span<const nmt::TranslatedLine> lines) {
    for (const nmt::TranslatedLine& line : lines) output.write(formatted(line, options, tokenizer));
    return output.flush();
  };
  nmt::translate_stream(
      translator, *loaded.source_tokenizer, tokenizer, input, prefixes.get(),
      {.source_tag = options.source_tag.value_or(""), .line_by_line = options.flush}, emit,
      progress);
  output.commit();
}

}  // namespace dietmt::tools
