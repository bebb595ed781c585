// DeepL's API, version 2 (https://developers.deepl.com/api-reference): texts, languages and usage.
#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "data/text/language_codes.h"
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

TextOptions deepl_options(const Call& call, const Fields& fields, const std::string& glossary,
                          const ModelPath& path, const ServiceContext& service) {
  const std::string tags = fields.text_or("tag_handling", "");
  if (!tags.empty() && tags != "html" && tags != "xml")
    throw HttpError::of_option("tag_handling", "tag_handling must be html or xml");
  TextOptions options = usual_options(path, !tags.empty(), service);
  options.split = fields.text_or("split_sentences", "1") != "0";
  if (fields.has("context")) options.context = {fields.text("context")};
  if (!glossary.empty())
    options.glossary = with_known_glossary([&] {
      return service.glossaries->named(glossary, service.owner_of(call), path, options.search);
    });
  return options;
}

Answer deepl_translate(const Call& call, ServiceContext& service) {
  const Fields fields(call);
  const std::string source = fields.text_or("source_lang", "");
  const std::string glossary = deepl_glossary(
      fields.text_or("glossary_id", ""),
      fields.has("glossary_ids") ? fields.texts("glossary_ids") : std::vector<std::string>(),
      source);
  const TranslationCall request{.texts = some_texts(fields, "text"),
                                .source = source.empty() ? kDetect : source,
                                .target = fields.text("target_lang"),
                                .options = [&](const ModelPath& path) {
                                  return deepl_options(call, fields, glossary, path, service);
                                }};
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
  return {route("POST", "/v2/translate", deepl_translate), route("POST", "/deepl", deepl_translate),
          route("GET", "/v2/languages", deepl_languages), route("GET", "/v2/usage", deepl_usage)};
}

}  // namespace dietmt::service
