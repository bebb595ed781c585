// dietmt score: log-probabilities of given translations.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/error.h"
#include "common/options.h"
#include "common/text_io.h"
#include "nmt/translation/forced_scoring.h"
#include "nmt/translation/line_tokens.h"
#include "nmt/translation/line_writer.h"
#include "nmt/translation/translator.h"
#include "tools/commands.h"
#include "tools/decoding_options.h"
#include "tools/line_progress.h"
#include "tools/output_problems.h"

namespace dietmt::tools {
namespace {

constexpr int64_t kWindowLines = 8192;

struct ScoreOptions : DecodingOptions {
  std::string source;
  std::string target;
  std::string output = "-";
  bool json = false;
};

OptionTable option_table(ScoreOptions& o) {
  OptionTable table("score", "--model DIR[,DIR...] --source FILE --target FILE",
                    "Prints log p(target line | source line), one number per line: the natural "
                    "logarithm, summed over the tokens of the target and its end of sentence.");
  table.group("Text");
  bind_model(table, o.models);
  table
      .add("source", &o.source, "FILE", "source text: plain, compressed or - (standard input)",
           {.required = true})
      .add("target", &o.target, "FILE", "translations, with the same number of lines",
           {.required = true})
      .add("output", &o.output, "FILE",
           "scores, or - (standard output); a file appears when it is complete, and FILE.gz is "
           "compressed")
      .add("json", &o.json, "",
           R"(write one JSON object per line: {"score", "tokens", "token_scores"})")
      .add("max-length", &o.search.max_source_length, "N",
           "longest line in tokens, with end of sentence; longer lines are cut",
           nmt::search_option(&nmt::SearchOptions::max_source_length).rule);
  bind_languages(table, o.languages);
  table.group("Machine")
      .add("device", &o.device, "NAME", "cpu, cuda or cuda:I")
      .add("threads", &o.search.workers, "N", "threads; 0: one per core", ranges::kThreads)
      .add("batch-tokens", &o.search.batch_tokens, "N", "batch size of a thread in source tokens",
           ranges::kBatchTokens);
  table.example("dietmt score --model model --source test.en --target test.de");
  return table;
}

std::vector<std::string> problems_of(ScoreOptions& o) {
  std::vector<std::string> problems = decoding_problems(o);
  // --max-length is that of both sides.
  o.search.max_length_factor = 0.0;
  o.search.max_length_offset = o.search.max_source_length;
  for (const std::string& problem :
       output_problems(o.output, {{"--source", o.source}, {"--target", o.target}}))
    problems.push_back(problem);
  if (o.source == "-" && o.target == "-")
    problems.emplace_back("--source and --target cannot both be standard input");
  return problems;
}

// Reads pairs of lines.
class PairReader {
 public:
  PairReader(const ScoreOptions& o, const nmt::LoadedDecoder& model)
      : source_(nmt::open_text(o.source)),
        target_(nmt::open_text(o.target)),
        requests_(model, o.languages, model.decoder->source_limit(o.search),
                  std::min(o.search.max_source_length, model.decoder->max_target_length())) {}

  /// At most `count` pairs; empty at the end. Throws DataError if one text has fewer lines.
  std::vector<nmt::TranslationRequest> read(int64_t count) {
    std::vector<nmt::TranslationRequest> requests;
    nmt::TextPair pair;
    while (std::ssize(requests) < count) {
      const bool has_source = source_.next(pair.source);
      const bool has_target = target_.next(pair.target);
      if (has_source != has_target) {
        const LineReader& shorter = has_source ? target_ : source_;
        const LineReader& longer = has_source ? source_ : target_;
        throw DataError(shorter.where() +
                        ": the text ends here, but the other one continues: " + longer.where());
      }
      if (!has_source) break;
      nmt::clean_line(pair.source, source_);
      nmt::clean_line(pair.target, target_);
      pair.source_where = source_.where();
      pair.target_where = target_.where();
      requests.push_back(requests_.next(pair));
    }
    return requests;
  }

 private:
  LineReader source_;
  LineReader target_;
  nmt::ForcedRequests requests_;
};

std::string formatted(const nmt::Hypothesis& found, const data::Tokenizer& tokenizer, bool json) {
  if (!json) return fmt::format("{:.6f}", found.sum);
  auto tokens = nlohmann::ordered_json::array();
  for (const int32_t id : found.ids) tokens.push_back(tokenizer.piece(id));
  tokens.push_back(tokenizer.piece(tokenizer.end_id()));
  return nlohmann::ordered_json{
      {"score", found.sum}, {"tokens", tokens}, {"token_scores", found.token_scores}}
      .dump();
}

}  // namespace

int run_score(const std::vector<std::string>& arguments) {
  ScoreOptions o;
  OptionTable table = option_table(o);
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  table.check(problems_of(o));
  if (o.device != "cpu") o.weights = "fp32";  // scores do not depend on the device
  nmt::LoadedDecoder loaded = decoder_source(o, "score", arguments)();
  PairReader reader(o, loaded);
  const nmt::Translator translator(std::move(loaded), nmt::forced_search(o.search));
  nmt::LineWriter output(o.output);
  LineProgress progress(o.source);
  for (auto requests = reader.read(kWindowLines); !requests.empty();
       requests = reader.read(kWindowLines)) {
    for (const nmt::NBest& found :
         translator.translate(requests, [&](int64_t lines) { progress.add(lines); }))
      if (!output.write(formatted(found.front(), *translator.model().target_tokenizer, o.json)))
        return 0;
  }
  output.commit();
  return 0;
}

}  // namespace dietmt::tools
