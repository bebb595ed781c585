#include "nmt/translation/json_line.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/json_fields.h"
#include "nmt/translation/avoided_ends.h"
#include "nmt/translation/term_encoder.h"

namespace dietmt::nmt {
namespace {

using nlohmann::json;

std::string text_of(const std::string& name, const json& value) {
  if (!value.is_string()) throw DataError(name + " is " + value.dump() + "; it must be a text");
  return value;
}

std::shared_ptr<const data::Glossary> glossary_of(const json& terms, const SearchOptions& search) {
  if (!terms.is_object())
    throw DataError("terms must be an object with the target of each source term");
  if (const std::string problem = terms.empty() ? "" : glossary_problem(search); !problem.empty())
    throw DataError("terms: " + problem);
  std::vector<data::GlossaryTerm> all;
  for (const auto& [source, target] : terms.items())
    all.push_back(data::glossary_term(source, text_of("the target of '" + source + "'", target)));
  return std::make_shared<const data::Glossary>(std::move(all));
}

std::vector<std::string> avoided_of(const json& texts) {
  if (!texts.is_array()) throw DataError("avoid must be an array of texts");
  std::vector<std::string> avoided;
  for (const json& text : texts) avoided.push_back(text_of("a text of avoid", text));
  check_avoided(avoided);
  return avoided;
}

json object_in(const std::string& line) {
  try {
    json object = parse_json(line);
    if (object.is_object()) return object;
  } catch (const CheckpointError& error) {
    throw DataError(error.what());
  }
  throw DataError("is JSON, but no object, {\"source\": ...}");
}

}  // namespace

std::string take_json_line(const std::string& line, const SearchOptions& search,
                           LineExtras& extras) {
  const json object = object_in(line);
  LanguageChoice languages = extras.languages.value_or(LanguageChoice());
  const std::pair<const char*, std::string*> texts[] = {{"source_language", &languages.source},
                                                        {"target_language", &languages.target},
                                                        {"tag", &languages.source_tag},
                                                        {"prefix", &extras.prefix}};
  std::string source;
  bool has_source = false;
  for (const auto& [name, value] : object.items()) {
    const auto known =
        std::ranges::find(texts, name, [](const auto& text) { return std::string(text.first); });
    if (known != std::end(texts)) {
      *known->second = text_of(name, value);
    } else if (name == "source") {
      source = text_of(name, value);
      has_source = true;
    } else if (name == "terms") {
      extras.glossary = glossary_of(value, search);
    } else if (name == "avoid") {
      extras.avoid = avoided_of(value);
    } else {
      throw DataError("the field '" + name +
                      "' is unknown; known: source, source_language, target_language, tag, prefix, "
                      "terms, avoid");
    }
  }
  if (!has_source) throw DataError("has no source");
  extras.prefix_where = extras.prefix.empty() ? "" : extras.where;
  extras.languages = std::move(languages);
  return source;
}

}  // namespace dietmt::nmt
