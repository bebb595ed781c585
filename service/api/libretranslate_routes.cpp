// LibreTranslate's protocol, so that its clients work unchanged.
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "service/api/fields.h"
#include "service/api/languages.h"
#include "service/api/service_context.h"
#include "service/api/text_translator.h"
#include "service/documents/kinds/open_document.h"

namespace dietmt::service {
namespace {

using nlohmann::ordered_json;

Answer json_answer(const ordered_json& body, int status = 200) {
  return {.status = status,
          .body = body.dump(-1, ' ', false, ordered_json::error_handler_t::replace)};
}

ordered_json detection(const DetectedLanguage& language) {
  const double percent = std::round(1000.0 * language.confidence) / 10.0;
  return {{"confidence", percent}, {"language", language.code}};
}

struct TranslateRequest {
  std::vector<std::string> texts;
  bool is_list = false;
  ModelPath path;
  std::vector<DetectedLanguage> detected;  // per text, if the source was `auto`
  int64_t alternatives = 0;
  TextOptions options;
};

// One model translates all texts of a list, so `auto` must detect the same language for each text
// that shows one, which numbers do not.
void detect_source(TranslateRequest& request, const std::string& target,
                   const ServiceContext& service) {
  for (const std::string& text : request.texts)
    request.detected.push_back(service.pairs.detect_source(text, target));
  const auto tells = [](const DetectedLanguage& one) { return one.confidence > 0.0; };
  const auto first = std::ranges::find_if(request.detected, tells);
  if (first == request.detected.end()) return;
  const std::string code = first->code;
  for (DetectedLanguage& one : request.detected) {
    if (tells(one) && one.code != code)
      throw HttpError::of_option("source", "source: the texts are in different languages");
    one.code = code;
  }
}

TranslateRequest read(const Fields& fields, const ServiceContext& service) {
  TranslateRequest request;
  request.texts = fields.texts("q");
  request.is_list = fields.is_list("q");
  std::string source = fields.text("source");
  const std::string target = fields.text("target");
  const std::string format = fields.text_or("format", "text");
  if (format != "text" && format != "html")
    throw HttpError::of_option("format", "format must be text or html");
  service.check_size(request.texts);
  if (request.texts.empty()) throw HttpError::of_option("q", "q has no text");
  if (source == "auto") {
    detect_source(request, target, service);
    source = request.detected.front().code;
  }
  request.path = fields.has("model")
                     ? service.pairs.path_named(fields.text("model"), source, target)
                     : service.pairs.path_of(source, target);
  request.alternatives = fields.integer_or("alternatives", 0, 0, service.limits.beam - 1);
  request.options.language = request.path.front()->source;
  request.options.html = format == "html";
  request.options.line = {.source_tag = source_tag(fields),
                          .keep = kept_kinds(fields, service.limits),
                          .check_copies = checks_copies(fields)};
  request.options.guard = service.limits.guard;
  request.options.search.nbest = request.alternatives + 1;
  request.options.search.beam = std::max(std::min(request.options.search.beam, service.limits.beam),
                                         request.options.search.nbest);
  request.options.glossary =
      service.glossaries.of_request(fields, request.path, request.options.search);
  return request;
}

// The values of all texts as a list if the request had a list, else the only value.
template <typename Value>
ordered_json listed(const TranslateRequest& request, Value value) {
  if (!request.is_list) return value(0);
  auto all = ordered_json::array();
  for (size_t i = 0; i < request.texts.size(); ++i) all.push_back(value(i));
  return all;
}

ordered_json alternatives_of(const TranslatedText& text, int64_t wanted) {
  auto others = ordered_json::array();
  for (int64_t n = 1; n <= wanted; ++n) others.push_back(text.joined(static_cast<size_t>(n)));
  return others;
}

std::vector<std::string> warnings_of(const std::vector<TranslatedText>& texts) {
  std::vector<std::string> warnings;
  for (size_t i = 0; i < texts.size(); ++i) {
    for (const TranslatedSentence& sentence : texts[i].sentences) {
      const std::string where = "text " + std::to_string(i + 1) + ": ";
      if (sentence.line.cut_tokens > 0) warnings.push_back(where + cut_warning(sentence.line));
      if (sentence.guard.sign != nmt::Degeneration::kNone)
        warnings.push_back(where + nmt::guard_warning(sentence.guard));
      if (sentence.translations.empty()) continue;
      for (const std::string& term : sentence.translations.front().missing_terms)
        warnings.push_back(where + "the glossary's term \"" + term +
                           "\" is not in the translation");
      for (const std::string& copy : sentence.translations.front().missing_copies)
        warnings.push_back(where + "\"" + copy + "\" is not in the translation");
    }
  }
  return warnings;
}

Answer libretranslate(const Call& call, ServiceContext& service) {
  const Patience patience = service.patience(call, service.limits.deadline);
  const Fields fields(call);
  const TranslateRequest request = read(fields, service);
  const ServedPath models = acquire(service.models, request.path, patience);
  const auto texts = translate_texts(models, request.texts, request.options, patience);

  ordered_json body{
      {"translatedText", listed(request, [&](size_t i) { return texts[i].joined(); })}};
  if (request.alternatives > 0) {
    body["alternatives"] =
        listed(request, [&](size_t i) { return alternatives_of(texts[i], request.alternatives); });
  }
  if (!request.detected.empty()) {
    body["detectedLanguage"] =
        listed(request, [&](size_t i) { return detection(request.detected[i]); });
  }
  const std::vector<std::string> warnings = warnings_of(texts);
  if (!warnings.empty()) body["warnings"] = warnings;
  return json_answer(body);
}

Answer detect(const Call& call, ServiceContext& service) {
  const Fields fields(call);
  const std::string text = fields.text("q");
  service.check_size({text});
  auto all = ordered_json::array();
  for (const DetectedLanguage& one : service.pairs.detect(text)) all.push_back(detection(one));
  return json_answer(all);
}

// As LibreTranslate does if suggestions are disabled.
Answer suggest(const Call& call) {
  const Fields fields(call);
  for (const char* name : {"q", "s", "source", "target"}) fields.text(name);
  throw HttpError(403, "Suggestions are disabled on this server.");
}

Answer languages(const ServiceContext& service) {
  auto all = ordered_json::array();
  for (const std::string& code : service.pairs.sources()) {
    all.push_back(
        {{"code", code}, {"name", language_name(code)}, {"targets", service.pairs.targets(code)}});
  }
  return json_answer(all);
}

Answer frontend_settings(const ServiceContext& service) {
  const ModelSpec& first = service.pairs.specs().front();
  const auto named = [](const std::string& code) {
    return ordered_json{{"code", code}, {"name", language_name(code)}};
  };
  return json_answer(
      {{"charLimit", service.limits.characters},
       {"frontendTimeout", 500},
       {"apiKeys", service.keys.required()},
       {"keyRequired", service.keys.required()},
       {"suggestions", false},
       {"filesTranslation", true},
       {"supportedFilesFormat", document_extensions()},
       {"batchJobs", !service.job_extensions.empty()},
       {"batchJobsFormat", service.job_extensions},
       {"language", {{"source", named(first.source)}, {"target", named(first.target)}}}});
}

}  // namespace

void add_libretranslate_routes(Router& router, ServiceContext& service) {
  const auto open = [&](const char* path, Answer (*answer)(const ServiceContext&)) {
    router.add({"GET", path, [&, answer](const Call&) { return answer(service); }, Key::kNone});
  };
  router.add(
      {"POST", "/translate", [&](const Call& call) { return libretranslate(call, service); }});
  router.add({"POST", "/detect", [&](const Call& call) { return detect(call, service); }});
  router.add({"POST", "/suggest", suggest});
  open("/languages", languages);
  open("/frontend/settings", frontend_settings);
}

}  // namespace dietmt::service
