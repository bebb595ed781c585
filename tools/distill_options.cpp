#include "tools/distill_options.h"

#include <algorithm>

#include "common/error.h"
#include "common/files.h"
#include "data/text/text_augmentation.h"
#include "nmt/translation/line_tokens.h"
#include "nmt/translation/line_writer.h"
#include "tools/unused_options.h"

namespace dietmt::tools {
namespace {

constexpr int64_t kSamplesOfTeacher = 100;  // of minimum Bayes risk

void bind_texts(OptionTable& table, DistillOptions& o) {
  table
      .add("source", &o.source, "FILE", "source side of the training text: plain or compressed",
           {.required = true})
      .add("output-source", &o.output_source, "FILE", "copy of the source lines for the student",
           {.required = true})
      .add("output-target", &o.output_target, "FILE",
           "their translations, line by line; both files appear when they are complete, and the "
           "same command resumes after a stop; FILE.gz is compressed",
           {.required = true})
      .add("back-translate", &o.back_translate, "",
           "--source is text of the target language: write it to --output-target, and its "
           "translations, by a teacher of the other direction, to --output-source")
      .add("augment", &o.augment, "CHANGE:SHARE,...",
           "change the text of a share of the pairs: upper, title, lower (both sides), typos (in "
           "what the student reads), noise (both sides); depends on --seed and the line's number");
}

void bind_choice(OptionTable& table, DistillOptions& o) {
  table.group("Choice")
      .add("nbest", &o.nbest, "N",
           "translations per line to choose from; default: with --reference or --mbr the beam "
           "size, or as many as --patience finishes, or 100 of --sample; else 1",
           nmt::search_option(&nmt::SearchOptions::nbest).rule)
      .add("reference", &o.reference, "FILE",
           "target side of the training text: keep the translation closest to it (sequence-level "
           "interpolation) instead of the one with the best score")
      .add("metric", &o.metric, "", "sentence-level similarity to the reference",
           {.choices = {"bleu", "chrf"}})
      .add("tokenize", &o.tokenizer, "", "tokenizer of BLEU",
           {.choices = {"13a", "intl", "char", "zh", "none"}});
  bind_mbr(table, o.mbr);
}

void bind_teacher(OptionTable& table, ChatTeacherOptions& o) {
  table.group("Chat model as teacher")
      .add("teacher-url", &o.url, "URL",
           "translate by a chat model with an API like OpenAI's, such as "
           "http://localhost:8080/v1, instead of --model; --nbest, --temperature, --top-p, --seed "
           "and the languages apply to it")
      .add("teacher-model", &o.model, "NAME", "name of the model in requests")
      .add("teacher-prompt", &o.prompt, "FILE",
           "text of a request, with {text} where the line goes, and {source_language} and "
           "{target_language}; what is before a line `---` is the system message; default: a "
           "prompt that needs --source-language and --target-language")
      .add("teacher-key", &o.key, "VARIABLE",
           "environment variable with the API key; default: OPENAI_API_KEY, if it is set")
      .add("teacher-concurrency", &o.concurrency, "N", "requests at the same time",
           {.least = 1, .most = 1024})
      .add(
          "teacher-retries", &o.retries, "N",
          "retries of a request that failed in a way that may pass (no connection, time-out, "
          "status 429 or 5xx, broken answer), with pauses that double from 1 s to 60 s, or as long "
          "as the server says (Retry-After)",
          {.least = 0, .most = 1000})
      .add("bad-answer-retries", &o.bad_answer_retries, "N",
           "requests again for a line whose answer is empty, cut off, a refusal, too long or too "
           "short, or has several lines; then the line is left out, with a warning",
           {.least = 0, .most = 100})
      .add("teacher-timeout", &o.timeout, "SECONDS", "longest time of a request",
           {.least = 1, .most = 86'400})
      .add("teacher-max-tokens", &o.max_tokens, "N",
           "most tokens of an answer; 0: the limit of the server", {.least = 0, .most = 1'000'000})
      .add("length-ratio", &o.length_ratio, "R",
           "a line and its translation may differ in length by this factor, and 30 characters more",
           {.least = 1, .most = 1000})
      .add("teacher-prices", &o.prices, "PRICE...",
           "two prices, of a million tokens in requests and in answers, to show what the run costs",
           {.least = 0});
}

// An output must be neither an input nor the other output.
std::vector<std::string> shared_files(const DistillOptions& o) {
  std::vector<std::string> problems;
  const std::pair<const char*, const std::string*> texts[] = {
      {"--source", &o.source},
      {"--reference", &o.reference},
      {"--output-source", &o.output_source},
      {"--output-target", &o.output_target},
      {"--shortlist", &o.shortlist},
      {"--teacher-prompt", &o.teacher.prompt}};
  for (const auto& [written, output] : {texts[2], texts[3]}) {
    for (const auto& [name, file] : texts) {
      if (file == output || file->empty() || output->empty()) continue;
      const bool is_written = file == &o.output_source || file == &o.output_target;
      const bool same_file =
          *file != "-" && nmt::is_file_output(*output) && is_same_file(*file, *output);
      if (same_file || (is_written && *file == *output))
        problems.push_back(std::string(written) + " and " + name + " are one file: " + *file);
    }
  }
  return problems;
}

// Options of a search that a chat model does not know.
std::vector<std::string> foreign_to_teacher(const OptionTable& table) {
  std::vector<std::string> names = {"model",   "source-tag",  "device",
                                    "weights", "cuda-graphs", "shortlist"};
  for (const nmt::SearchOption& option : nmt::search_option_table()) {
    std::string name = option.name;
    std::ranges::replace(name, '_', '-');
    const char* const kKnown[] = {"nbest", "temperature", "top-p", "seed"};
    if (std::ranges::find(kKnown, name) == std::end(kKnown)) names.push_back(name);
  }
  std::erase_if(names, [&](const std::string& name) { return !table.changed(name); });
  return names;
}

void check_teacher(const OptionTable& table, const DistillOptions& o,
                   std::vector<std::string>& problems) {
  for (const std::string& name : foreign_to_teacher(table))
    problems.push_back("--" + name + " is for --model, not for --teacher-url: leave it out");
  if (o.mbr.utility == "comet")
    problems.emplace_back("--mbr comet is for --model, not for --teacher-url: choose chrf or bleu");
  if (o.teacher.url.find("://") == std::string::npos)
    problems.push_back("--teacher-url " + o.teacher.url + " must begin with http:// or https://");
  if (o.teacher.model.empty()) problems.emplace_back("--teacher-url needs --teacher-model");
  if (!o.teacher.prices.empty() && o.teacher.prices.size() != 2)
    problems.emplace_back("--teacher-prices needs two prices: of input and of output tokens");
  if (!nmt::can_reread(o.source))
    problems.emplace_back("--source must be a regular file, because it is read twice");
  if (!nmt::is_file_output(o.output_target))
    problems.emplace_back(
        "--output-target must be a regular file: the answers are kept next to it");
}

void check_model(const OptionTable& table, DistillOptions& o, std::vector<std::string>& problems) {
  refuse_unused(table,
                {"teacher-model", "teacher-prompt", "teacher-key", "teacher-concurrency",
                 "teacher-retries", "bad-answer-retries", "teacher-timeout", "teacher-max-tokens",
                 "length-ratio", "teacher-prices"},
                "--teacher-url", problems);
  if (o.models.empty()) problems.emplace_back("a teacher is missing: add --model or --teacher-url");
  if (!o.search.sample && o.augment.empty()) refuse_unused(table, {"seed"}, "--sample", problems);
  for (std::string& problem : decoding_problems(o)) problems.push_back(std::move(problem));
}

}  // namespace

OptionTable option_table(DistillOptions& o) {
  OptionTable table("distill",
                    "(--model DIR[,DIR...] | --teacher-url URL) --source FILE --output-source FILE "
                    "--output-target FILE",
                    "Sequence-level knowledge distillation: translates the source side of training "
                    "text with a teacher and writes source and translations as training text for "
                    "a smaller or faster student.");
  table.group("Text");
  bind_model(table, o.models, {});
  bind_texts(table, o);
  bind_source_lines(table, o);
  bind_choice(table, o);
  bind_teacher(table, o.teacher);
  bind_search(table, o.search);
  bind_sampling(table, o.search);
  bind_decoding_machine(table, o);
  table
      .basics({"model", "source-tag", "back-translate", "reference", "mbr", "nbest", "teacher-url",
               "teacher-model", "teacher-prompt", "beam", "sample", "device", "weights", "workers"})
      .example(
          "dietmt distill --model teacher --source train.en --output-source student.en "
          "--output-target student.de")
      .example(
          "dietmt distill --teacher-url http://localhost:8080/v1 --teacher-model gemma "
          "--source-language en --target-language de --source train.en --output-source student.en "
          "--output-target student.de");
  return table;
}

std::vector<std::string> problems_of(const OptionTable& table, DistillOptions& o) {
  const bool chooses = !o.reference.empty() || o.mbr.utility != "none";
  const bool is_chat = !o.teacher.url.empty();
  const int64_t all =
      o.search.sample ? kSamplesOfTeacher : std::min(o.search.beam, o.search.finished_to_end());
  o.search.nbest = o.nbest.value_or(chooses && !is_chat ? all : 1);
  std::vector<std::string> problems = shared_files(o);
  if (is_chat)
    check_teacher(table, o, problems);
  else
    check_model(table, o, problems);
  for (std::string& problem : mbr_problems(o.mbr)) problems.push_back(std::move(problem));
  if (o.reference.empty()) refuse_unused(table, {"metric", "tokenize"}, "--reference", problems);
  if (!chooses) refuse_unused(table, {"nbest"}, "--reference or --mbr", problems);
  if (!o.reference.empty() && o.mbr.utility != "none")
    problems.emplace_back("--reference and --mbr both choose: leave out one of them");
  if (is_chat && chooses && o.search.nbest < 2)
    problems.emplace_back("--reference and --mbr need --nbest of 2 or more with --teacher-url");
  if (o.metric == "chrf" && table.changed("tokenize"))
    problems.emplace_back("--tokenize is for --metric bleu");
  if (!o.reference.empty() && !(nmt::can_reread(o.source) && nmt::can_reread(o.reference)))
    problems.emplace_back(
        "--source and --reference must be regular files, because they are read twice");
  try {
    data::AugmentationRates::parse(o.augment);
  } catch (const ConfigError& error) {
    problems.push_back(std::string("--augment: ") + error.what());
  }
  return problems;
}

}  // namespace dietmt::tools
