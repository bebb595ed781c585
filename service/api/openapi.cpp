#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/json_fields.h"
#include "data/text/language_codes.h"
#include "service/api/model_path.h"
#include "service/api/translation_api.h"

namespace dietmt::service {
namespace {

using nlohmann::ordered_json;

ordered_json parsed(std::string_view part) {
  try {
    return ordered_json::parse(part);
  } catch (const ordered_json::exception& error) {
    throw Error(std::string("OpenAPI: ") + error.what());
  }
}

// Adds the members of `from` to `to`.
void add_members(ordered_json& to, const ordered_json& from, const std::string& where) {
  for (const auto& [name, value] : from.items()) {
    if (to.contains(name) && to[name] != value)
      throw Error("OpenAPI: " + where + " " + name + " is defined twice");
    to[name] = value;
  }
}

// The names of all paths of at most two models.
std::vector<std::string> path_names(const std::vector<ModelSpec>& specs) {
  std::vector<std::string> names;
  for (const ModelSpec& first : specs) {
    names.push_back(first.name);
    for (const ModelSpec& second : specs)
      if (!first.target.empty() && first.target == second.source)
        names.push_back(path_name({&first, &second}));
  }
  return names;
}

const char* type_of(int64_t) { return "integer"; }
const char* type_of(double) { return "number"; }
const char* type_of(bool) { return "boolean"; }
const char* type_of(const std::string&) { return "string"; }

ordered_json schema_of(const nmt::SearchOption& option, const nmt::SearchOptions& defaults) {
  ordered_json schema;
  std::visit(
      [&](auto field) {
        schema["type"] = {type_of(defaults.*field), "null"};
        schema["default"] = defaults.*field;
      },
      option.field);
  const OptionRule& rule = option.rule;
  for (const std::string& choice : rule.choices) schema["enum"].push_back(choice);
  if (schema.contains("enum")) schema["enum"].push_back(nullptr);
  const auto bound = [&](const char* name, const std::optional<double>& value) {
    if (value) schema[name] = json_number(*value);
  };
  bound("minimum", rule.least);
  bound("exclusiveMinimum", rule.above);
  bound("maximum", rule.most);
  bound("exclusiveMaximum", rule.below);
  schema["description"] = option.help;
  return schema;
}

}  // namespace

std::string merged_openapi(const std::vector<std::string_view>& parts) {
  ordered_json document = parsed(parts.at(0));
  for (size_t i = 1; i < parts.size(); ++i) {
    const ordered_json part = parsed(parts[i]);
    add_members(document["paths"], part.value("paths", ordered_json::object()), "path");
    for (const ordered_json& tag : part.value("tags", ordered_json::array()))
      document["tags"].push_back(tag);
    const ordered_json components = part.value("components", ordered_json::object());
    for (const auto& [kind, members] : components.items())
      add_members(document["components"][kind], members, kind);
  }
  return document.dump(2);
}

std::string openapi_of(const LanguagePairs& pairs, const ServiceLimits& limits) {
  ordered_json document = parsed(merged_openapi(openapi_parts()));
  ordered_json& schemas = document["components"]["schemas"];
  for (const std::string& language : pairs.sources())
    schemas["SourceLanguage"]["enum"].push_back(data::language_tag(language));
  for (const std::string& language : pairs.targets())
    schemas["TargetLanguage"]["enum"].push_back(data::language_tag(language));
  for (const ModelSpec& spec : pairs.specs()) schemas["ModelName"]["enum"].push_back(spec.name);
  for (const std::string& names : path_names(pairs.specs()))
    schemas["ModelPath"]["enum"].push_back(names);
  schemas["TranslateRequest"]["properties"]["alternatives"]["description"] =
      "Number of alternative translations; more than " + std::to_string(limits.beam - 1) +
      " give this many";
  const nmt::SearchOptions defaults = default_search(limits);
  for (const nmt::SearchOption& option : decoding_fields(limits))
    schemas["V1TranslateRequest"]["properties"][option.name] = schema_of(option, defaults);
  return document.dump(2);
}

std::string as_libretranslate(const std::string& description) {
  ordered_json document = parsed(description);
  document["info"]["title"] = "LibreTranslate";
  return document.dump(2);
}

}  // namespace dietmt::service
