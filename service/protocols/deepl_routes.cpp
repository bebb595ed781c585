// DeepL's API, version 2 (https://developers.deepl.com/api-reference): texts, languages and usage.
#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "data/text/language_codes.h"
#include "service/api/languages.h"
#include "service/protocols/protocol_routes.h"

namespace dietmt::service {
namespace {

using nlohmann::ordered_json;

// What DeepL reports for plans without a limit.
constexpr int64_t kNoLimit = 1'000'000'000'000;

std::string upper(std::string code) {
  for (char& c : code) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return code;
}

TextOptions deepl_options(const Fields& fields, const ModelPath& path,
                          const ServiceContext& service) {
  const std::string tags = fields.text_or("tag_handling", "");
  if (!tags.empty() && tags != "html" && tags != "xml")
    throw HttpError::of_option("tag_handling", "tag_handling must be html or xml");
  TextOptions options = usual_options(path, !tags.empty(), service);
  options.split = fields.text_or("split_sentences", "1") != "0";
  if (fields.has("context")) options.context = {fields.text("context")};
  const std::string glossary = fields.text_or("glossary_id", "");
  if (!glossary.empty())
    options.glossary = service.glossaries->named(glossary, path, options.search);
  return options;
}

Answer deepl_translate(const Call& call, ServiceContext& service) {
  const Fields fields(call);
  const std::string source = fields.text_or("source_lang", "");
  const TranslationCall request{
      .texts = some_texts(fields, "text"),
      .source = source.empty() ? kDetect : source,
      .target = fields.text("target_lang"),
      .options = [&](const ModelPath& path) { return deepl_options(fields, path, service); }};
  const auto patience = service.patience(call, service.limits.deadline);
  auto translations = ordered_json::array();
  const std::vector<CalledText> called = translate_call(request, service, patience);
  for (size_t i = 0; i < called.size(); ++i) {
    translations.push_back(
        {{"detected_source_language", upper(data::language_tag(called[i].source.code))},
         {"text", called[i].text.joined()}});
    if (fields.flag_or("show_billed_characters", false))
      translations.back()["billed_characters"] = characters_of(request.texts[i]);
  }
  return json_answer({{"translations", translations}});
}

// The client's `type`: source, which is also the default, or target.
Answer deepl_languages(const Call& call, const ServiceContext& service) {
  const std::string type = Fields(call).text_or("type", "source");
  if (type != "source" && type != "target")
    throw HttpError::of_option("type", "type must be source or target");
  auto all = ordered_json::array();
  for (const std::string& code :
       type == "target" ? service.pairs.targets() : service.pairs.sources()) {
    all.push_back(
        {{"language", upper(data::language_tag(code))}, {"name", data::language_name(code)}});
    if (type == "target") all.back()["supports_formality"] = false;
  }
  return json_answer(all);
}

Answer deepl_usage(const Call& call, const ServiceContext& service) {
  const int64_t characters = service.usage.characters_of(service.keys.name_of(call.key));
  return json_answer({{"character_count", characters}, {"character_limit", kNoLimit}});
}

Answer glossary_pairs(const ServiceContext& service) {
  auto pairs = ordered_json::array();
  for (const std::string& source : service.pairs.sources())
    for (const std::string& target : service.pairs.targets(source))
      pairs.push_back({{"source_lang", data::language_tag(source)},
                       {"target_lang", data::language_tag(target)}});
  return json_answer({{"supported_languages", pairs}});
}

// Those that the server's operator stores; clients cannot add any.
Answer glossaries(const ServiceContext& service) {
  auto all = ordered_json::array();
  for (const NamedGlossary& one : service.glossaries->all())
    all.push_back({{"glossary_id", one.name},
                   {"name", one.name},
                   {"ready", true},
                   {"source_lang", data::language_tag(one.source)},
                   {"target_lang", data::language_tag(one.target)},
                   {"creation_time", "1970-01-01T00:00:00.000000Z"},
                   {"entry_count", one.glossary->terms().size()}});
  return json_answer({{"glossaries", all}});
}

}  // namespace

ordered_json deepl_error(int /*status*/, const std::string& message) {
  return {{"message", message}};
}

std::vector<Route> deepl_routes(ServiceContext& service) {
  const auto route = [&](const char* method, const char* path, auto handler) {
    return Route{
        .method = method,
        .path = path,
        .handler = [&service, handler](const Call& call) { return handler(call, service); },
        .errors = deepl_error};
  };
  const auto pairs = [](const Call&, const ServiceContext& of) { return glossary_pairs(of); };
  const auto stored = [](const Call&, const ServiceContext& of) { return glossaries(of); };
  return {
      route("POST", "/v2/translate", deepl_translate),    route("POST", "/deepl", deepl_translate),
      route("GET", "/v2/languages", deepl_languages),     route("GET", "/v2/usage", deepl_usage),
      route("GET", "/v2/glossary-language-pairs", pairs), route("GET", "/v2/glossaries", stored)};
}

}  // namespace dietmt::service
