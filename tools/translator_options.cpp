#include "tools/translator_options.h"

#include "common/error.h"
#include "data/text/source_tag.h"
#include "tools/decoding_options.h"

namespace dietmt::tools {

void bind_model(OptionTable& table, TranslatorOptions& o) {
  table.add("model", &o.models, "DIR[,DIR...]",
            "model directory or output directory of train (its best checkpoint); several of one "
            "vocabulary: the average of their probabilities");
}

void bind_source_lines(OptionTable& table, TranslatorOptions& o) {
  table
      .add("source-tag", &o.source_tag, "TAG",
           "word before each line that has text, such as the <2de> of a multilingual model; it may "
           "stand in the text itself instead")
      .add("max-source-length", &o.search.max_source_length, "N",
           "tokens of a line that are translated, with end of sentence; the rest is cut off");
}

void bind_search(OptionTable& table, TranslatorOptions& o) {
  nmt::SearchOptions& search = o.search;
  table.group("Search")
      .add("beam", &search.beam, "N", "hypotheses kept at each step; 1: greedy search")
      .add("length-penalty", &search.length_penalty, "A",
           "score = sum of log-probabilities / length^A, end of sentence counted; 0: the sum")
      .add("length-norm", &o.length_norm, "NAME",
           "power: divide by length^A; gnmt: by ((5 + length) / 6)^A")
      .add("max-length-factor", &search.max_length_factor, "A",
           "a translation has at most A * source tokens + B tokens")
      .add("max-length-offset", &search.max_length_offset, "B", "the B in that")
      .add("min-length", &search.min_length, "N", "shortest translation, in tokens");
}

void bind_decoding_machine(OptionTable& table, TranslatorOptions& o) {
  nmt::SearchOptions& search = o.search;
  table.group("Machine");
  add_decoding_device(table, o.device, o.weights);
  table.add("shortlist", &o.shortlist, "FILE",
            "of 'dietmt shortlist': the output layer computes a line's likely pieces alone, on the "
            "CPU; probabilities and scores are those among them");
  add_decoding_workers(table, search.workers, search.batch_tokens);
  add_worker_threads(table, search.threads);
}

std::vector<std::string> resolve(TranslatorOptions& o) {
  std::vector<std::string> problems = o.search.problems();
  if (o.models.empty()) problems.emplace_back("--model is missing");
  if (o.seed < 0) problems.emplace_back("--seed must not be negative");
  if (o.source_tag) {
    const std::string problem = data::source_tag_problem(*o.source_tag);
    if (!problem.empty()) problems.push_back("--source-tag: " + problem);
  }
  check_weights(o.weights, problems);
  try {
    o.search.length_norm = nmt::parse_length_norm(o.length_norm);
  } catch (const ConfigError& error) {
    problems.push_back(std::string("--length-norm: ") + error.what());
  }
  o.search.seed = static_cast<uint64_t>(o.seed);
  return problems;
}

}  // namespace dietmt::tools
