// LibreTranslate's protocol, so that its clients work unchanged.
#include <nlohmann/json.hpp>

#include "data/languages/detection.h"
#include "data/text/language_codes.h"
#include "service/api/fields.h"
#include "service/api/service_context.h"
#include "service/api/translation_call.h"
#include "service/documents/kinds/open_document.h"

namespace dietmt::service {
namespace {

using nlohmann::ordered_json;

struct TranslateRequest {
  TranslationCall call;
  bool is_list = false;
  int64_t alternatives = 0;
};

// Asking for more alternatives than the server allows gives as many as it allows.
int64_t alternatives_of(const Fields& fields, const ServiceLimits& limits) {
  return std::min(fields.integer_or("alternatives", 0, 0, INT64_MAX), limits.beam - 1);
}

bool is_html(const Fields& fields) {
  const std::string format = fields.text_or("format", "text");
  if (format != "text" && format != "html")
    throw HttpError::of_option(
        "format", "format: " + format + " format is not supported; it is text or html");
  return format == "html";
}

TextOptions text_options(const Call& call, const Fields& fields, const ModelPath& path,
                         const ServiceContext& service) {
  TextOptions options = usual_options(path, is_html(fields), service);
  options.markup = fields.flag_or("markup", options.markup) && !options.html;
  options.line = {.languages = {.source_tag = source_tag(fields)},
                  .keep = kept_kinds(fields, service.limits),
                  .check_copies = checks_copies(fields),
                  .restores_case = restores_case(fields, service.limits)};
  options.search.nbest = alternatives_of(fields, service.limits) + 1;
  options.search.beam = std::max(options.search.beam, options.search.nbest);
  options.glossary =
      service.glossaries->of_request(fields, service.owner_of(call), path, options.search);
  return options;
}

TranslateRequest read(const Call& call, const Fields& fields, const ServiceContext& service) {
  TranslateRequest request{.call = {.texts = fields.texts("q")}};
  request.is_list = fields.is_list("q");
  request.call.source = fields.text("source");
  request.call.target = fields.text("target");
  if (fields.has("model")) request.call.model = fields.text("model");
  is_html(fields);
  if (request.call.texts.empty()) throw HttpError::of_option("q", "q has no text");
  request.alternatives = alternatives_of(fields, service.limits);
  request.call.options = [&](const ModelPath& path) {
    return text_options(call, fields, path, service);
  };
  return request;
}

// The values of all texts as a list if the request had a list, else the only value.
template <typename Value>
ordered_json listed(const TranslateRequest& request, Value value) {
  if (!request.is_list) return value(0);
  auto all = ordered_json::array();
  for (size_t i = 0; i < request.call.texts.size(); ++i) all.push_back(value(i));
  return all;
}

ordered_json alternatives_json(const TranslatedText& text, int64_t wanted) {
  auto others = ordered_json::array();
  for (int64_t n = 1; n <= wanted; ++n) others.push_back(text.joined(static_cast<size_t>(n)));
  return others;
}

// MTranServer has the same path, with other names.
Answer mtranserver(const Fields& fields, const Call& call, ServiceContext& service) {
  const auto called = translate_plainly(call, service, {fields.text("text")}, fields.text("from"),
                                        fields.text("to"), fields.flag_or("html", false));
  return json_answer({{"result", called.front().text.joined()}});
}

Answer libretranslate(const Call& call, ServiceContext& service) {
  const Patience patience = service.patience(call, service.limits.deadline);
  const Fields fields(call);
  if (!fields.has("q") && fields.has("text")) return mtranserver(fields, call, service);
  const TranslateRequest request = read(call, fields, service);
  const std::vector<CalledText> called = translate_call(request.call, service, patience);

  ordered_json body{
      {"translatedText", listed(request, [&](size_t i) { return called[i].text.joined(); })}};
  if (request.alternatives > 0) {
    body["alternatives"] = listed(
        request, [&](size_t i) { return alternatives_json(called[i].text, request.alternatives); });
  }
  if (request.call.detects()) {
    body["detectedLanguage"] =
        listed(request, [&](size_t i) { return detection_json(called[i].source); });
  }
  const std::vector<std::string> warnings = warnings_of(called);
  if (!warnings.empty()) body["warnings"] = warnings;
  return json_answer(body);
}

ordered_json detections(const std::string& text, const ServiceContext& service) {
  auto all = ordered_json::array();
  for (const data::DetectedLanguage& one : service.pairs.detect(text))
    all.push_back(detection_json(one));
  return all;
}

// A list of texts gives a list of their detections.
Answer detect(const Call& call, ServiceContext& service) {
  const Fields fields(call);
  const std::vector<std::string> texts = fields.texts("q");
  service.check_size(texts);
  if (!fields.is_list("q")) return json_answer(detections(texts.front(), service));
  auto all = ordered_json::array();
  for (const std::string& text : texts) all.push_back(detections(text, service));
  return json_answer(all);
}

// As LibreTranslate does if suggestions are disabled.
Answer suggest(const Call& call) {
  const Fields fields(call);
  for (const char* name : {"q", "s", "source", "target"}) fields.text(name);
  throw HttpError(403, "Suggestions are disabled on this server.");
}

ordered_json named(const std::string& code) {
  return {{"code", data::language_tag(code)}, {"name", data::language_name(code)}};
}

// Clients look for both languages of a request in this list, so it also has those that are only
// targets.
Answer languages(const ServiceContext& service) {
  auto all = ordered_json::array();
  for (const std::string& code : service.pairs.languages()) {
    auto targets = ordered_json::array();
    for (const std::string& target : service.pairs.targets(code))
      targets.push_back(data::language_tag(target));
    ordered_json language = named(code);
    language["targets"] = targets;
    all.push_back(language);
  }
  return json_answer(all);
}

Answer frontend_settings(const ServiceContext& service) {
  const ModelSpec& first = service.pairs.specs().front();
  return json_answer({{"charLimit", service.limits.characters},
                      {"frontendTimeout", 500},
                      {"apiKeys", service.keys.has_keys()},
                      {"keyRequired", service.keys.required()},
                      {"suggestions", false},
                      {"filesTranslation", true},
                      {"supportedFilesFormat", document_extensions()},
                      {"batchJobs", !service.job_extensions.empty()},
                      {"batchJobsFormat", service.job_extensions},
                      {"language",
                       {{"source", named(first.source_languages().front())},
                        {"target", named(first.target_languages().back())}}}});
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
