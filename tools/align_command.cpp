// dietmt align: word alignments of parallel text by the statistical aligner.
#include <spdlog/spdlog.h>

#include <memory>

#include "common/error.h"
#include "common/options.h"
#include "common/process.h"
#include "data/shortlist/aligner.h"
#include "data/text/tokenizer.h"
#include "nmt/alignment/symmetrization.h"
#include "nmt/alignment/text_alignment.h"
#include "nmt/model/model_files.h"
#include "nmt/translation/line_writer.h"
#include "tools/commands.h"
#include "tools/output_problems.h"

namespace dietmt::tools {
namespace {

struct AlignOptions {
  std::string source, target;
  std::string output = "-";
  std::string model, tokenizer;
  std::string symmetrize = "grow-diag-final-and";
  data::AlignerOptions aligner = {.prior = data::kSparsePrior};
  int64_t threads = 0;
};

OptionTable option_table(AlignOptions& o) {
  OptionTable table("align", "--source FILE --target FILE",
                    "Aligns the words of parallel text: one line of pairs SOURCE-TARGET for each "
                    "pair of lines, with words between white space, counted from 0. 'dietmt train "
                    "--guided-alignment FILE' learns from them.");
  table.group("Text")
      .add("source", &o.source, "FILE", "source text, plain or compressed", {.required = true})
      .add("target", &o.target, "FILE", "its translations, with the same number of lines",
           {.required = true})
      .add("output", &o.output, "FILE",
           "alignments, or - (standard output); a file appears when it is complete, and FILE.gz is "
           "compressed")
      .add("tokenizer", &o.tokenizer, "FILE",
           "align the pieces of this sentencepiece model; words are linked if pieces of them are")
      .add("model", &o.model, "DIR", "align the pieces of this model's tokenizers");
  table.group("Aligner")
      .add("symmetrize", &o.symmetrize, "NAME",
           "links to keep: forward (of each target word), reverse (of each source word), "
           "intersection, union, grow-diag or grow-diag-final-and (Koehn et al. 2005)")
      .add("iterations", &o.aligner.iterations, "N", "EM iterations in each direction",
           {.least = 1, .most = 1000})
      .add("prior", &o.aligner.prior, "X",
           "Dirichlet prior of translation probabilities: values far below 1 keep rare words from "
           "drawing all links; 0: none",
           {.least = 0, .most = 100})
      .add("largest-table", &o.aligner.largest_table, "N",
           "largest number of word pairs in the table of a direction, about 40 bytes each; beyond "
           "that, the rarest pairs are dropped",
           {.least = 1})
      .add("threads", &o.threads, "N", "threads; 0: one per core; the result does not change",
           {.least = 0, .most = 256});
  table.example("dietmt align --source train.en --target train.de --output train.links");
  return table;
}

std::vector<std::string> problems_of(const AlignOptions& o) {
  std::vector<std::string> problems;
  if (!o.model.empty() && !o.tokenizer.empty())
    problems.emplace_back("give --model or --tokenizer, not both");
  if (o.source == "-" && o.target == "-")
    problems.emplace_back("--source and --target cannot both be standard input");
  for (const std::string& problem : output_problems(
           o.output,
           {{"--source", o.source}, {"--target", o.target}, {"--tokenizer", o.tokenizer}}))
    problems.push_back(problem);
  return problems;
}

// None if words are aligned.
nmt::Tokenizers tokenizers_of(const AlignOptions& o) {
  if (!o.model.empty()) return nmt::open_model(o.model).tokenizers;
  if (o.tokenizer.empty()) return {};
  const auto joint = data::open_tokenizer(o.tokenizer);
  return {joint, joint};
}

void require_equal_lines(const AlignOptions& o, int64_t source, int64_t target) {
  if (source == target) return;
  throw DataError(o.source + " has " + std::to_string(source) + " lines, but " + o.target +
                  " has " + std::to_string(target));
}

}  // namespace

int run_align(const std::vector<std::string>& arguments) {
  AlignOptions options;
  OptionTable table = option_table(options);
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  table.check(problems_of(options));
  const nmt::Symmetrization symmetrization = nmt::parse_symmetrization(options.symmetrize);
  options.aligner.threads = options.threads > 0 ? options.threads : usable_cores();

  const nmt::Tokenizers tokenizers = tokenizers_of(options);
  nmt::LineWriter output(options.output);
  const nmt::AlignableText source(options.source, tokenizers.source.get());
  const nmt::AlignableText target(options.target, tokenizers.target.get());
  require_equal_lines(options, source.size(), target.size());
  const nmt::TextAlignment alignment(
      source, target, options.aligner, symmetrization,
      [&](const char* direction, const data::AlignerIteration& iteration) {
        spdlog::info("{}, iteration {} of {}: tension {:.3f}, {} pairs of {}", direction,
                     iteration.number, options.aligner.iterations, iteration.tension,
                     iteration.cells, tokenizers.source ? "pieces" : "words");
        if (iteration.dropped > 0)
          spdlog::warn("dropped {} rare pairs to stay within --largest-table {}", iteration.dropped,
                       options.aligner.largest_table);
      });
  for (int64_t line = 0; line < source.size(); ++line) {
    if (alignment.is_too_long(line))
      spdlog::warn("{}:{}: too long to align with its translation: no links", options.source,
                   line + 1);
    if (!output.write(nmt::pharaoh(alignment.links(line)))) return 0;
  }
  output.commit();
  return 0;
}

}  // namespace dietmt::tools
