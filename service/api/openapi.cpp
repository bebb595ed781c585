#include <nlohmann/json.hpp>

#include "common/error.h"
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

// Of all paths of at most two models.
std::vector<std::string> path_names(const std::vector<ModelSpec>& specs) {
  std::vector<std::string> names;
  for (const ModelSpec& first : specs) {
    names.push_back(first.name);
    for (const ModelSpec& second : specs)
      if (first.target == second.source) names.push_back(path_name({&first, &second}));
  }
  return names;
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
  schemas["SourceLanguage"]["enum"] = pairs.sources();
  schemas["TargetLanguage"]["enum"] = pairs.targets();
  for (const ModelSpec& spec : pairs.specs()) schemas["ModelName"]["enum"].push_back(spec.name);
  for (const std::string& names : path_names(pairs.specs()))
    schemas["ModelPath"]["enum"].push_back(names);
  schemas["TranslateRequest"]["properties"]["alternatives"]["maximum"] = limits.beam - 1;
  ordered_json& options = schemas["V1TranslateRequest"]["properties"];
  for (const char* name : {"beam", "nbest", "diverse_groups"})
    options[name]["maximum"] = limits.beam;
  for (const char* name : {"max_length_offset", "min_length"})
    options[name]["maximum"] = limits.length_offset;
  options["max_length_factor"]["maximum"] = limits.length_factor;
  return document.dump(2);
}

}  // namespace dietmt::service
