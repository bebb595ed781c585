#include "tools/decoding_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

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

using Group = nmt::SearchOption::Group;

void add_option(OptionTable& table, const nmt::SearchOption& option, OptionTable::Field field) {
  std::string name = option.name;
  std::ranges::replace(name, '_', '-');
  table.add(name, field, option.placeholder, option.help, option.rule);
}

void add_group(OptionTable& table, Group group, nmt::SearchOptions& search) {
  for (const nmt::SearchOption& option : nmt::search_option_table())
    if (option.group == group)
      std::visit([&](auto field) { add_option(table, option, &(search.*field)); }, option.field);
}

}  // namespace

void add_search_option(OptionTable& table, nmt::SearchOption::Field option,
                       OptionTable::Field field) {
  add_option(table, nmt::search_option(option), field);
}

std::string guard_help(const std::string& says) {
  return "what to do about a translation that repeats itself, is far too long, far too short or "
         "empty. report: " +
         says + "; retry: also translate the sentence again without repeated n-grams";
}

void bind_model(OptionTable& table, std::vector<std::string>& models, const OptionRule& rule) {
  table.add("model", &models, "DIR[,DIR...]",
            "model directory, or output directory of train (its best checkpoint); several models "
            "of one vocabulary, in one list or with --model repeated, form an ensemble, which "
            "averages their probabilities",
            rule);
}

void bind_languages(OptionTable& table, nmt::LanguageChoice& languages) {
  table
      .add("source-language", &languages.source, "LANG",
           "language of the source, for a model of several: a code (en, pt-BR, eng_Latn) or an "
           "English name")
      .add("target-language", &languages.target, "LANG", "language of the translations, likewise")
      .add("source-tag", &languages.source_tag, "TAG",
           "word to put before each non-empty line, such as <2de>, for a model that does not list "
           "its languages");
}

void bind_source_lines(OptionTable& table, DecodingOptions& o) {
  bind_languages(table, o.languages);
  add_group(table, Group::kText, o.search);
}

void bind_search(OptionTable& table, nmt::SearchOptions& search) {
  add_group(table.group("Search"), Group::kSearch, search);
}

void take_search_of_model(const OptionTable& table, const std::vector<std::string>& models,
                          nmt::SearchOptions& search) {
  std::vector<std::string> directories;
  try {
    directories = nmt::model_directories(models);
  } catch (const Error&) {
    return;  // loading the models reports it
  }
  if (directories.empty()) return;
  const auto is_given = [&](std::string name) {
    std::ranges::replace(name, '_', '-');
    return table.given(name);
  };
  search.take(nmt::config_in(directories.front()).search, is_given,
              directories.front() + "/" + nmt::kConfigFile);
}

void bind_sampling(OptionTable& table, nmt::SearchOptions& search) {
  add_group(table.group("Sampling"), Group::kSampling, search);
}

void add_decoding_device(OptionTable& table, std::string& device, std::string& weights,
                         std::string& cuda_graphs) {
  table
      .add("device", &device, "NAME",
           "cpu, cuda, cuda:I, or several GPUs that share the work: cuda:0,cuda:1")
      .add("weights", &weights, "",
           "type of the weights, converted when the model is loaded; auto: bf16 on a "
           "GPU, else fp32 or the type of a quantized model; int8 needs --device cpu, fp16 a GPU; "
           "with bf16 or fp16 weights a GPU also computes in that type",
           {.choices = {"auto", "fp32", "bf16", "fp16", "int8"}})
      .add("cuda-graphs", &cuda_graphs, "",
           "auto: on a GPU record decoding steps as CUDA graphs; off: launch every kernel",
           {.choices = {"auto", "off"}});
}

void bind_decoding_machine(OptionTable& table, DecodingOptions& o) {
  table.group("Machine");
  add_decoding_device(table, o.device, o.weights, o.cuda_graphs);
  table.add("shortlist", &o.shortlist, "FILE",
            "lexical shortlist from 'dietmt shortlist': restrict the output layer to likely "
            "pieces; probabilities are relative to these; needs --device cpu");
  add_group(table, Group::kMachine, o.search);
}

std::vector<std::string> decoding_problems(const DecodingOptions& o) {
  std::vector<std::string> problems = o.search.problems();
  if (problems.empty() && o.device == "cpu") {
    const std::string problem = hypotheses_problem(o.search);
    if (!problem.empty()) problems.push_back(problem);
  }
  if (o.shortlist == "auto" && !std::filesystem::exists(o.shortlist))
    problems.emplace_back("--shortlist auto is for 'dietmt serve': give the file");
  if (!o.languages.source_tag.empty()) {
    const std::string problem = data::source_tag_problem(o.languages.source_tag);
    if (!problem.empty()) problems.push_back("--source-tag: " + problem);
  }
  return problems;
}

}  // namespace dietmt::tools
