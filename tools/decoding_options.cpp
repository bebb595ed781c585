#include "tools/decoding_options.h"

#include <fmt/format.h>

#include "common/error.h"
#include "common/memory_use.h"
#include "data/text/source_tag.h"

namespace dietmt::tools {
namespace {

// A token of a hypothesis has a node in the beam (token, parent, log-probability) and a cache slot
// in two lists. A full batch of the shortest sentences has the most hypotheses.
std::string hypotheses_problem(const nmt::SearchOptions& search) {
  constexpr int64_t kShortest = 2, kBytes = 5 * sizeof(int32_t);
  const int64_t rows = search.sample ? search.nbest : search.beam;
  const int64_t workers = nmt::usable_workers(search.workers, search.threads);
  const double bytes = static_cast<double>(workers) *
                       static_cast<double>(search.batch_tokens / kShortest + 1) *
                       static_cast<double>(rows * search.max_target_length(kShortest) * kBytes);
  return memory_problem(
      fmt::format("{} {}, --max-length-offset {}, --max-length-factor {}, --batch-tokens {} and "
                  "--workers {}",
                  search.sample ? "samples of a sentence" : "--beam", rows,
                  search.max_length_offset, search.max_length_factor, search.batch_tokens,
                  search.workers),
      bytes);
}

}  // namespace

void bind_model(OptionTable& table, std::vector<std::string>& models) {
  table.add("model", &models, "DIR[,DIR...]",
            "model directory, or output directory of train (its best checkpoint); several models "
            "of one vocabulary, in one list or with --model repeated, form an ensemble, which "
            "averages their probabilities",
            {.required = true});
}

void bind_source_lines(OptionTable& table, DecodingOptions& o) {
  table
      .add("source-tag", &o.source_tag, "TAG",
           "word to put before each non-empty line, such as <2de> for a multilingual model")
      .add("max-source-length", &o.search.max_source_length, "N",
           "longest source line in tokens, with end of sentence; longer lines are cut",
           nmt::search_rules::kMaxSourceLength);
}

void add_beam(OptionTable& table, int64_t& beam) {
  table.add("beam", &beam, "N", "beam size: hypotheses kept at each step; 1: greedy search",
            nmt::search_rules::kBeam);
}

void bind_search(OptionTable& table, DecodingOptions& o) {
  nmt::SearchOptions& search = o.search;
  table.group("Search");
  add_beam(table, search.beam);
  table
      .add("length-penalty", &search.length_penalty, "A",
           "score = sum of log-probabilities / length^A, with end of sentence; 0: the sum",
           nmt::search_rules::kLengthPenalty)
      .add("length-norm", &o.length_norm, "",
           "power: divide by length^A; gnmt: divide by ((5 + length) / 6)^A",
           {.choices = {"power", "gnmt"}})
      .add("max-length-factor", &search.max_length_factor, "A",
           "longest translation: A * source tokens + B tokens, and never more than 65536",
           nmt::search_rules::kMaxLengthFactor)
      .add("max-length-offset", &search.max_length_offset, "B", "B in --max-length-factor",
           nmt::search_rules::kMaxLengthOffset)
      .add("min-length", &search.min_length, "N",
           "shortest translation in tokens, unless --max-length-factor allows only fewer",
           nmt::search_rules::kMinLength)
      .add("no-repeat-ngram", &search.no_repeat_ngram, "N",
           "never repeat an n-gram of N tokens within a translation; 0: off",
           nmt::search_rules::kNoRepeatNgram)
      .add("repetition-penalty", &search.repetition_penalty, "X",
           "multiply the log-probability of a token that the translation already has by X; above 1 "
           "discourages repetition",
           nmt::search_rules::kRepetitionPenalty)
      .add("patience", &search.patience, "P",
           "beam search ends when beam size * P hypotheses are finished; above 1 searches longer",
           nmt::search_rules::kPatience)
      .add("diverse-groups", &search.diverse_groups, "N",
           "diverse beam search: split the beam into N groups that avoid the words of "
           "earlier groups; 1: plain beam search",
           nmt::search_rules::kBeam)
      .add("diversity-strength", &search.diversity_strength, "X",
           "with --diverse-groups: penalty on a token's log-probability for each hypothesis "
           "of an earlier group that has the token at the same position",
           nmt::search_rules::kDiversityStrength)
      .add("coverage-penalty", &search.coverage_penalty, "BETA",
           "add BETA * sum over source tokens of log(min(attention that the token got, 1)) to the "
           "score of a finished hypothesis; 0: off",
           nmt::search_rules::kCoveragePenalty);
}

void add_decoding_device(OptionTable& table, std::string& device, std::string& weights,
                         std::string& cuda_graphs) {
  table.add("device", &device, "NAME", "cpu, cuda or cuda:I")
      .add("weights", &weights, "",
           "type of the weights, converted when the model is loaded; auto: fp32, or the "
           "type of a quantized model; int8 needs --device cpu, fp16 a GPU; with bf16 or "
           "fp16 weights a GPU also computes in that type",
           {.choices = {"auto", "fp32", "bf16", "fp16", "int8"}})
      .add("cuda-graphs", &cuda_graphs, "",
           "auto: on a GPU record decoding steps as CUDA graphs; off: launch every kernel",
           {.choices = {"auto", "off"}});
}

void add_decoding_workers(OptionTable& table, int64_t& workers, int64_t& batch_tokens) {
  table
      .add("workers", &workers, "N",
           "CPU workers that decode in parallel and share the weights; 0: cores / --threads",
           ranges::kThreads)
      .add("batch-tokens", &batch_tokens, "N",
           "batch size of a worker in source tokens; changes speed and memory, not results; "
           "a GPU decodes 32 times as many at once, or as many as fit into its memory",
           ranges::kBatchTokens);
}

void add_worker_threads(OptionTable& table, int64_t& threads) {
  table.add("threads", &threads, "N",
            "threads of each worker; more threads speed up a single sentence, more workers a file",
            nmt::search_rules::kWorkerThreads);
}

void bind_decoding_machine(OptionTable& table, DecodingOptions& o) {
  table.group("Machine");
  add_decoding_device(table, o.device, o.weights, o.cuda_graphs);
  table.add("shortlist", &o.shortlist, "FILE",
            "lexical shortlist from 'dietmt shortlist': restrict the output layer to likely "
            "pieces; probabilities are relative to these; needs --device cpu");
  add_decoding_workers(table, o.search.workers, o.search.batch_tokens);
  add_worker_threads(table, o.search.threads);
}

std::vector<std::string> resolve(DecodingOptions& o) {
  std::vector<std::string> problems = o.search.problems();
  if (problems.empty() && o.device == "cpu") {
    const std::string problem = hypotheses_problem(o.search);
    if (!problem.empty()) problems.push_back(problem);
  }
  if (o.source_tag) {
    const std::string problem = data::source_tag_problem(*o.source_tag);
    if (!problem.empty()) problems.push_back("--source-tag: " + problem);
  }
  o.search.length_norm = o.length_norm == "gnmt" ? nmt::LengthNorm::kGnmt : nmt::LengthNorm::kPower;
  o.search.seed = static_cast<uint64_t>(o.seed);
  return problems;
}

}  // namespace dietmt::tools
