// The basic edition of Google's Cloud Translation
// (https://cloud.google.com/translate/docs/reference/rest/v2/translate).
#include <nlohmann/json.hpp>

#include "data/languages/detection.h"
#include "data/text/language_codes.h"
#include "service/protocols/protocol_routes.h"

namespace dietmt::service {
namespace {

using nlohmann::ordered_json;

ordered_json google_error(int status, const std::string& message) {
  return {{"error",
           {{"code", status},
            {"message", message},
            {"errors", ordered_json::array({{{"message", message}, {"reason", "invalid"}}})}}}};
}

// HTML is the default, as it is Google's.
Answer google_translate(const Call& call, ServiceContext& service) {
  const Fields fields(call);
  const std::string format = fields.text_or("format", "html");
  if (format != "html" && format != "text")
    throw HttpError::of_option("format", "format must be html or text");
  const std::string source = fields.text_or("source", "");
  auto translations = ordered_json::array();
  for (const CalledText& one : translate_plainly(call, service, some_texts(fields, "q"), source,
                                                 fields.text("target"), format == "html")) {
    translations.push_back({{"translatedText", one.text.joined()}});
    if (source.empty())
      translations.back()["detectedSourceLanguage"] = data::language_tag(one.source.code);
  }
  return json_answer({{"data", {{"translations", translations}}}});
}

Answer google_detect(const Call& call, ServiceContext& service) {
  const std::vector<std::string> texts = some_texts(Fields(call), "q");
  service.check_size(texts);
  auto detections = ordered_json::array();
  for (const std::string& text : texts) {
    const data::DetectedLanguage best = service.pairs.detect(text).front();
    detections.push_back(ordered_json::array({{{"language", data::language_tag(best.code)},
                                               {"confidence", best.confidence},
                                               {"isReliable", false}}}));
  }
  return json_answer({{"data", {{"detections", detections}}}});
}

// With `target`, Google adds the names in that language; here they are English.
Answer google_languages(const Call& call, ServiceContext& service) {
  const bool with_names = !Fields(call).text_or("target", "").empty();
  auto all = ordered_json::array();
  for (const std::string& code : service.pairs.languages()) {
    all.push_back({{"language", data::language_tag(code)}});
    if (with_names) all.back()["name"] = data::language_name(code);
  }
  return json_answer({{"data", {{"languages", all}}}});
}

// What Google's web page uses: lists in place of objects.
Answer google_single(const Call& call, ServiceContext& service) {
  const Fields fields(call);
  const std::string text = fields.text("q");
  const CalledText one =
      translate_plainly(call, service, {text}, fields.text_or("sl", ""), fields.text("tl"), false)
          .front();
  const auto pair = ordered_json::array({one.text.joined(), text, nullptr, nullptr, 1});
  return json_answer(ordered_json::array(
      {ordered_json::array({pair}), nullptr, data::language_tag(one.source.code)}));
}

}  // namespace

std::vector<Route> google_routes(ServiceContext& service) {
  std::vector<Route> routes;
  const auto add = [&](const std::string& path, Answer (*handler)(const Call&, ServiceContext&)) {
    for (const char* method : {"GET", "POST"})
      routes.push_back(
          {.method = method,
           .path = path,
           .handler = [&service, handler](const Call& call) { return handler(call, service); },
           .errors = google_error});
  };
  for (const std::string prefix : {"", "/google"}) {
    add(prefix + "/language/translate/v2", google_translate);
    add(prefix + "/language/translate/v2/detect", google_detect);
    add(prefix + "/language/translate/v2/languages", google_languages);
  }
  add("/google/translate_a/single", google_single);
  return routes;
}

}  // namespace dietmt::service
