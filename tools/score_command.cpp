// dietmt score: log-probabilities of given translations.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <numeric>
#include <span>

#include "common/error.h"
#include "common/options.h"
#include "common/text_io.h"
#include "encoders/device/device.h"
#include "nmt/batch_decoding/decoder_loader.h"
#include "nmt/batch_decoding/forced_scoring.h"
#include "nmt/search/document_context.h"
#include "nmt/translation/line_writer.h"
#include "nmt/translation/text_lines.h"
#include "tools/commands.h"
#include "tools/decoding_options.h"
#include "tools/line_progress.h"
#include "tools/output_problems.h"

namespace dietmt::tools {
namespace {

constexpr int64_t kWindowLines = 8192;

struct ScoreOptions {
  std::vector<std::string> models;
  std::string source;
  std::string target;
  std::string output = "-";
  bool json = false;
  int64_t max_length = 1000;
  std::string device = "cpu";
  nmt::ScoringOptions scoring;
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
      .add("target", &o.target, "FILE", "translations, with as many lines", {.required = true})
      .add("output", &o.output, "FILE",
           "scores, or - (standard output); a file appears when it is complete, and FILE.gz is "
           "compressed")
      .add("json", &o.json, "", R"(write one object a line: {"score", "tokens", "token_scores"})")
      .add("max-length", &o.max_length, "N",
           "longest line in tokens, with end of sentence; longer lines are cut",
           nmt::search_rules::kMaxSourceLength);
  table.group("Machine")
      .add("device", &o.device, "NAME", "cpu, cuda or cuda:I")
      .add("threads", &o.scoring.threads, "N", "threads; 0: one per core", ranges::kThreads)
      .add("batch-tokens", &o.scoring.batch_tokens, "N", "batch size of a thread in tokens",
           ranges::kBatchTokens);
  table.example("dietmt score --model model --source test.en --target test.de");
  return table;
}

std::vector<std::string> problems_of(const ScoreOptions& o) {
  std::vector<std::string> problems =
      output_problems(o.output, {{"--source", o.source}, {"--target", o.target}});
  if (o.source == "-" && o.target == "-")
    problems.emplace_back("--source and --target cannot both be standard input");
  return problems;
}

// A pair of lines with its context, and how many target tokens that has.
struct ContextPair {
  nmt::ScoringRequest request;
  int64_t context_tokens = 0;
};

// Reads pairs of lines and encodes them.
class PairReader {
 public:
  PairReader(const ScoreOptions& options, const nmt::ModelList& models)
      : source_(nmt::open_text(options.source)),
        target_(nmt::open_text(options.target)),
        models_(models),
        document_(models.context()),
        max_source_(options.max_length),
        max_target_(options.max_length) {
    for (const nmt::TranslationModel* model : models.pointers()) {
      max_source_ = std::min(max_source_, model->max_source_length());
      max_target_ = std::min(max_target_, model->max_target_length());
    }
  }

  /// At most `count` pairs; empty at the end. Throws DataError if one text has fewer lines.
  std::vector<ContextPair> read(int64_t count) {
    std::vector<ContextPair> pairs;
    std::string source, target;
    while (static_cast<int64_t>(pairs.size()) < count) {
      const bool has_source = source_.next(source);
      const bool has_target = target_.next(target);
      if (has_source != has_target) {
        const LineReader& shorter = has_source ? target_ : source_;
        const LineReader& longer = has_source ? source_ : target_;
        throw DataError(shorter.where() +
                        ": the text ends here, but the other one continues: " + longer.where());
      }
      if (!has_source) break;
      ContextPair& pair = pairs.emplace_back();
      pair.request = {encoded(source, source_, models_.source_tokenizer(), max_source_),
                      encoded(target, target_, models_.target_tokenizer(), max_target_)};
      pair.context_tokens =
          document_.next(pair.request.source, pair.request.target, max_source_, max_target_).target;
    }
    return pairs;
  }

 private:
  static std::vector<int32_t> encoded(std::string& line, const LineReader& reader,
                                      const data::Tokenizer& tokenizer, int64_t max_tokens) {
    nmt::clean_line(line, reader);
    return nmt::encode_line(tokenizer, line, max_tokens, reader.where());
  }

  LineReader source_;
  LineReader target_;
  const nmt::ModelList& models_;
  nmt::PairContext document_;
  int64_t max_source_;
  int64_t max_target_;
};

std::string formatted(std::span<const int32_t> target, std::span<const float> scores,
                      const data::Tokenizer& tokenizer, bool json) {
  const double total = std::accumulate(scores.begin(), scores.end(), 0.0);
  if (!json) return fmt::format("{:.6f}", total);
  auto tokens = nlohmann::ordered_json::array();
  for (const int32_t id : target) tokens.push_back(tokenizer.piece(id));
  return nlohmann::ordered_json{{"score", total}, {"tokens", tokens}, {"token_scores", scores}}
      .dump();
}

}  // namespace

int run_score(const std::vector<std::string>& arguments) {
  ScoreOptions options;
  OptionTable table = option_table(options);
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  table.check(problems_of(options));
  options.scoring.threads = encoders::set_threads(options.scoring.threads);

  const nmt::ModelList models(nmt::model_directories(options.models),
                              encoders::parse_device(options.device));
  options.scoring.begin_id = models.target_tokenizer().begin_id();
  PairReader reader(options, models);
  nmt::LineWriter output(options.output);
  LineProgress progress(options.source);
  for (;;) {
    const std::vector<ContextPair> pairs = reader.read(kWindowLines);
    if (pairs.empty()) break;
    std::vector<nmt::ScoringRequest> requests;
    for (const ContextPair& pair : pairs) requests.push_back(pair.request);
    const auto scores = nmt::score_targets(models.pointers(), requests, options.scoring,
                                           [&](int64_t lines) { progress.add(lines); });
    bool wanted = true;
    for (size_t i = 0; i < pairs.size() && wanted; ++i) {
      const auto first = static_cast<size_t>(pairs[i].context_tokens);
      wanted = output.write(formatted(std::span(requests[i].target).subspan(first),
                                      std::span(scores[i]).subspan(first),
                                      models.target_tokenizer(), options.json));
    }
    if (!wanted) return 0;
  }
  output.commit();
  return 0;
}

}  // namespace dietmt::tools
