// dietmt quantize: a model directory with weights packed for decoding.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <filesystem>
#include <iostream>

#include "common/atomic_file.h"
#include "common/error.h"
#include "common/options.h"
#include "common/text_io.h"
#include "metrics/bleu.h"
#include "metrics/chrf.h"
#include "nmt/translation/loaded_decoder.h"
#include "nmt/translation/translator.h"
#include "tools/commands.h"
#include "tools/decoding_options.h"
#include "tools/unused_options.h"

namespace dietmt::tools {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;

struct QuantizeOptions {
  std::string model;
  std::string output;
  std::string type = "int8";
  std::string source;
  std::string reference;
  nmt::LanguageChoice languages;
  int64_t runs = 2;
  nmt::SearchOptions search;
};

OptionTable option_table(QuantizeOptions& o) {
  OptionTable table(
      "quantize", "[--model] DIR --output DIR",
      "Writes a model directory for decoding only, in int8 a quarter of the size: translate and "
      "serve map the weights into memory, and translate starts in milliseconds. With a test set, "
      "prints size, speed and quality before and after.");
  table.group("Model")
      .add("model", &o.model, "DIR",
           "model directory, or output directory of train (its best checkpoint); its weights are "
           "full, "
           "or packed fp32",
           {.required = true})
      .add("output", &o.output, "DIR", "model directory to write",
           {.required = true, .is_new = true})
      .add("type", &o.type, "",
           "type of the weights; bf16: half the size; fp32: start in milliseconds, at full "
           "precision",
           {.choices = {"int8", "bf16", "fp32"}});
  table.group("Test set")
      .add("source", &o.source, "FILE",
           "source text that both models translate, plain or compressed")
      .add("reference", &o.reference, "FILE", "its reference translations")
      .add("runs", &o.runs, "N", "times that each model translates the text; the fastest counts",
           {.least = 1, .most = 1000});
  bind_languages(table, o.languages);
  add_search_option(table, &nmt::SearchOptions::beam, &o.search.beam);
  add_search_option(table, &nmt::SearchOptions::workers, &o.search.workers);
  add_search_option(table, &nmt::SearchOptions::batch_tokens, &o.search.batch_tokens);
  table.positional("model").example("dietmt quantize model --output fast --type int8");
  return table;
}

std::vector<std::string> problems_of(const OptionTable& table, const QuantizeOptions& o) {
  std::vector<std::string> problems;
  if (o.source.empty())
    refuse_unused(table, {"source-tag", "runs", "beam", "workers", "batch-tokens"}, "--source",
                  problems);
  if (o.source.empty() != o.reference.empty())
    problems.emplace_back("give --source and --reference together");
  return problems;
}

struct TestSet {
  std::vector<std::string> source;
  std::vector<std::string> reference;
};

TestSet read_test_set(const QuantizeOptions& options) {
  TestSet test{read_lines(options.source, kMaxLineBytes),
               read_lines(options.reference, kMaxLineBytes)};
  if (test.source.empty()) throw DataError(options.source + ": has no lines");
  if (test.source.size() != test.reference.size()) {
    throw DataError(fmt::format("{} has {} lines, {} has {}", options.source, test.source.size(),
                                options.reference, test.reference.size()));
  }
  return test;
}

// One of the two models, with its translations of the test set and the shortest time of a run.
class Contender {
 public:
  Contender(const Quantizer& quantizer, const nmt::ModelFiles& model,
            const nmt::SearchOptions& search)
      : megabytes_(megabytes(model)) {
    const auto start = Clock::now();
    translator_.emplace(quantizer.load(model.origin().string()), search);
    load_seconds_ = seconds_since(start);
  }

  void run(const TestSet& test, const nmt::LanguageChoice& languages) {
    const auto start = Clock::now();
    translations_ = nmt::translate_lines(*translator_, test.source, languages);
    const double seconds = seconds_since(start);
    if (seconds_ == 0.0 || seconds < seconds_) seconds_ = seconds;
  }

  const std::vector<std::string>& translations() const { return translations_; }

  std::string line(const std::string& name, const TestSet& test) const {
    const std::vector<std::vector<std::string>> references = {test.reference};
    return fmt::format("{}\t{:.2f}\t{:.4f}\t{:.2f}\t{:.2f}\t{:.3f}\n", name, megabytes_,
                       load_seconds_,
                       metrics::Bleu({}).corpus_score(translations_, references).score,
                       metrics::Chrf({}).corpus_score(translations_, references).score, seconds_);
  }

 private:
  static double megabytes(const nmt::ModelFiles& model) {
    const uintmax_t adapter = model.adapter.empty() ? 0 : fs::file_size(model.adapter);
    return static_cast<double>(fs::file_size(model.weights()) + adapter) / 1e6;
  }

  static double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

  double megabytes_;
  double load_seconds_ = 0.0;
  double seconds_ = 0.0;
  std::optional<nmt::Translator> translator_;
  std::vector<std::string> translations_;
};

void report(const Quantizer& quantizer, const nmt::ModelFiles& full, const QuantizeOptions& options,
            const TestSet& test) {
  Contender before(quantizer, full, options.search);
  Contender after(quantizer, nmt::open_model(options.output), options.search);
  for (int64_t run = 0; run < options.runs; ++run) {
    before.run(test, options.languages);
    after.run(test, options.languages);
  }
  size_t equal = 0;
  for (size_t i = 0; i < test.source.size(); ++i)
    equal += before.translations()[i] == after.translations()[i] ? 1 : 0;
  std::cout << "weights\tMB\tload s\tBLEU\tchrF\ttranslation s\n"
            << before.line("fp32", test) << after.line(options.type, test)
            << fmt::format("equal lines\t{} of {}\n", equal, test.source.size());
}

}  // namespace

int run_quantize(const std::vector<std::string>& arguments) {
  QuantizeOptions options;
  OptionTable table = option_table(options);
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  table.check(problems_of(table, options));
  const nmt::ModelFiles model = nmt::open_model(options.model);
  const Quantizer own = quantizer(model, arguments);
  std::optional<TestSet> test;
  if (!options.source.empty()) test = read_test_set(options);

  AtomicDirectory output(options.output);
  own.write(output.path(), model, options.type);
  output.commit();
  if (!nmt::has_stored_positions(options.output)) {
    spdlog::warn(
        "positions that depend on whole sentences, or of more than 64 MiB, cannot be stored "
        "(encoder '{}', decoder '{}', cross-attention '{}'): {} needs dietmt-torch, and does not "
        "load from Python or C++",
        model.config.encoder_position, model.config.decoder_position, model.config.cross_position,
        options.output);
  }
  if (test) report(own, model, options, *test);
  return 0;
}

}  // namespace dietmt::tools
