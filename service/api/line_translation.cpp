#include "service/api/line_translation.h"

#include <thread>

#include "service/scheduling/scheduling_errors.h"

namespace dietmt::service {

TextOptions LineTranslator::options(const LineRequest& request, const nlohmann::json& decoding,
                                    const ModelPath& path) const {
  const Fields fields(decoding);
  fields.allow_only(with_decoding_fields({"source_tag", "split_sentences", "markup", "keep",
                                          "document", "case", "glossary", "avoid"}));
  TextOptions options;
  if (!path.empty()) options.language = path.front()->source;
  options.document = fields.flag_or("document", true);
  options.split = fields.flag_or("split_sentences", false);
  options.markup = fields.flag_or("markup", limits_.markup);
  options.line = {.languages = {.source_tag = source_tag(fields)},
                  .avoid = avoided(fields),
                  .keep = kept_kinds(fields, limits_),
                  .restores_case = restores_case(fields, limits_)};
  options.search =
      search_options(fields, limits_, path.empty() ? nmt::SearchDefaults() : path.back()->search);
  options.guard = limits_.guard;
  if (!path.empty())
    options.glossary = glossaries_->of_request(fields, request.owner, path, options.search);
  return options;
}

// Empty for lines that stay as they are.
ModelPath LineTranslator::path_of(const LineRequest& request,
                                  const std::vector<nmt::MarkedText>& lines) const {
  if (request.source != kDetect)
    return request.model.empty() ? pairs_.path_of(request.source, request.target)
                                 : pairs_.path_named(request.model, request.source, request.target);
  if (!request.model.empty()) return pairs_.path_named(request.model, "", request.target);
  const std::string source = pairs_.detect_language(lines, pairs_.sources_of(request.target)).code;
  return pairs_.has_path(source, request.target) ? pairs_.path_of(source, request.target)
                                                 : ModelPath();
}

void LineTranslator::check(const LineRequest& request, const nlohmann::json& decoding) const {
  const TextOptions found = options(request, decoding, path_of(request, {}));
  if (found.search.nbest > 1)
    throw HttpError::of_option("nbest", "nbest must be 1: a job has one translation of each line");
  if (request.quality) require_estimates(quality_);
}

std::vector<double> LineTranslator::estimates(const std::vector<nmt::MarkedText>& sources,
                                              const std::vector<Translation>& translations,
                                              const Patience& patience) const {
  std::vector<TranslatedPair> pairs;
  std::vector<size_t> lines;
  for (size_t i = 0; i < sources.size(); ++i) {
    if (sources[i].text.empty()) continue;
    pairs.push_back({sources[i].text, plain_text(translations[i])});
    lines.push_back(i);
  }
  const std::vector<double> found = quality_->of(pairs, patience);
  std::vector<double> all(sources.size());
  for (size_t i = 0; i < lines.size(); ++i) all[lines[i]] = found[i];
  return all;
}

TranslatedLines LineTranslator::translate(const LineRequest& request,
                                          const nlohmann::json& decoding,
                                          const ConnectedTexts& lines,
                                          const std::function<bool()>& cancelled) const {
  constexpr std::chrono::milliseconds kPause{200};
  if (request.quality && !quality_) {
    constexpr int64_t kRetryAfter = 10;
    throw Unavailable("this worker has no model of quality", kRetryAfter);
  }
  const ModelPath path = path_of(request, lines.texts);
  TextOptions of_lines = options(request, decoding, path);
  of_lines.only_context = lines.only_context;
  Patience patience;
  patience.client_gone = cancelled;
  patience.is_batch = true;
  patience.client = request.client;
  while (true) {
    try {
      const ServedPath models = acquire(models_, path, patience);
      TranslatedLines translated;
      for (const TranslatedText& text : translate_texts(models, lines.texts, of_lines, patience)) {
        translated.lines.push_back(text.parts());
        translated.cut.push_back(text.was_cut());
        translated.guarded.push_back(text.was_guarded());
        for (const TranslatedSentence& sentence : text.sentences)
          translated.source_tokens += sentence.line.tokens;
      }
      if (request.quality) translated.quality = estimates(lines.texts, translated.lines, patience);
      return translated;
    } catch (const QueueFull&) {
      if (cancelled && cancelled()) throw ClientGone("the job was cancelled");
      std::this_thread::sleep_for(kPause);
    }
  }
}

}  // namespace dietmt::service
