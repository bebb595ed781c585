// dietmt distill: sequence-level knowledge distillation (Kim and Rush 2016). The teacher is a
// model; tools/teacher_command.cpp has chat models as teachers.
#include <spdlog/spdlog.h>

#include <optional>

#include "common/options.h"
#include "common/text_io.h"
#include "nmt/translation/distilled_corpus.h"
#include "nmt/translation/line_tokens.h"
#include "nmt/translation/line_writer.h"
#include "nmt/translation/translation_stream.h"
#include "nmt/translation/translator.h"
#include "tools/commands.h"
#include "tools/distill_choice.h"
#include "tools/distill_options.h"
#include "tools/line_progress.h"

namespace dietmt::tools {
namespace {

std::vector<std::string> texts_of(const nmt::TranslatedLine& line) {
  std::vector<std::string> texts;
  for (const nmt::LineResult& found : line.translations) texts.push_back(found.text);
  return texts;
}

void distill(const DistillOptions& o, const std::optional<nmt::BayesRiskChoice>& choice,
             const DecoderSource& load, const std::string& settings) {
  LineReader input = nmt::open_text(o.source);
  DistillChoice choose(o);
  const StudentPairs pair_of(o);
  const nmt::Translator translator(load(), o.search);
  const bool continued = nmt::can_reread(o.source) && nmt::is_file_output(o.output_source) &&
                         nmt::is_file_output(o.output_target);
  nmt::DistilledCorpus student(o.output_source, o.output_target, continued ? settings : "");
  const int64_t kept = student.lines();
  if (kept > 0) spdlog::info("resuming after line {}", kept);
  const std::vector<std::string> earlier =
      nmt::skip_lines(input, kept, translator.model().context.sentences);
  choose.skip(kept);

  LineProgress progress(o.source, kept);
  const auto emit = [&](std::span<const nmt::TranslatedLine> lines) {
    for (const nmt::TranslatedLine& line : lines) {
      const auto pair = pair_of(line.source, choose(texts_of(line)), line.number);
      student.write(pair.source, pair.target);
    }
    return student.flush();
  };
  nmt::translate_stream(
      translator, input,
      {.line = {.languages = o.languages},
       .choose = choice_among_hypotheses(choice, *translator.model().target_tokenizer),
       .earlier = earlier},
      emit, [&](int64_t lines) { progress.add(lines); });
  student.commit();
  spdlog::info("wrote {} and {}: {} lines", o.output_source, o.output_target, progress.done());
}

}  // namespace

int run_distill(const std::vector<std::string>& arguments) {
  DistillOptions options;
  OptionTable table = option_table(options);
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  if (options.teacher.url.empty()) take_search_of_model(table, options.models, options.search);
  table.check(problems_of(table, options));
  if (!options.teacher.url.empty()) continue_with_requests("distill", arguments);
  const auto choice = bayes_risk_choice(options.mbr, options, "distill", arguments);
  const DecoderSource load = decoder_source(options, "distill", arguments);
  std::vector<std::string> inputs = {options.source, options.reference, options.shortlist,
                                     options.mbr.comet_model};
  for (const std::string& model : nmt::model_directories(options.models)) inputs.push_back(model);
  distill(options, choice, load, nmt::text_settings(table.resolved(), inputs));
  return 0;
}

}  // namespace dietmt::tools
