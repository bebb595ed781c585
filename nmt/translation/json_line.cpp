#include "nmt/translation/json_line.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "common/error.h"
#include "common/json_fields.h"
#include "nmt/translation/avoided_ends.h"
#include "nmt/translation/line_fields.h"
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
                           const LanguageChoice& usual, LineExtras& extras) {
  const json object = object_in(line);
  LineFields fields(usual);
  for (const auto& [name, value] : object.items()) {
    if (LineFields::is_known(name))
      fields.set(name, text_of(name, value));
    else if (name == "terms")
      extras.glossary = glossary_of(value, search);
    else if (name == "avoid")
      extras.avoid = avoided_of(value);
    else
      throw DataError("the field '" + name + "' is unknown; known: " + LineFields::kNames +
                      ", terms, avoid");
  }
  return fields.take(extras);
}

}  // namespace dietmt::nmt
