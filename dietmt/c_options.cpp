#include "dietmt/c_options.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "common/numbers.h"

namespace dietmt {
namespace {

[[noreturn]] void refuse(std::string_view name, std::string_view value, const char* expected) {
  throw UsageError(std::string(name) + " is '" + std::string(value) + "'; it must be " + expected);
}

template <typename Number>
void read_number(std::string_view name, std::string_view value, const char* expected, Number& to) {
  const auto number = number_in<Number>(value);
  if (!number) refuse(name, value, expected);
  to = *number;
}

void read(std::string_view name, std::string_view value, std::int64_t& to) {
  read_number(name, value, "a whole number", to);
}
void read(std::string_view name, std::string_view value, double& to) {
  read_number(name, value, "a number", to);
}
void read(std::string_view name, std::string_view value, bool& to) {
  if (value != "true" && value != "false") refuse(name, value, "true or false");
  to = value == "true";
}
void read(std::string_view, std::string_view value, std::string& to) { to = value; }
template <typename Value>
void read(std::string_view name, std::string_view value, std::optional<Value>& to) {
  Value found{};
  read(name, value, found);
  to = std::move(found);
}

// Options of C++ that have a function here, or none.
const char* other_way(std::string_view name) {
  if (name == "glossary") return "; use dietmt_options_add_term()";
  if (name == "avoid") return "; use dietmt_options_add_avoided()";
  for (const char* other :
       {"alignment", "check", "source_tags", "source_languages", "target_languages", "cancelled"})
    if (name == other) return " in C";
  return "";
}

}  // namespace

void set_option(dietmt_options& options, std::string_view name, std::string_view value) {
  TranslatorOptions& load = options.load;
  TranslateOptions& translate = options.translate;
  const auto set_if = [&](std::string_view candidate, auto& to) {
    if (candidate != name) return false;
    read(name, value, to);
    return true;
  };
  const bool known =
      set_if("device", load.device) || set_if("weights", load.weights) ||
      set_if("shortlist", load.shortlist) ||
#define DIETMT_MODEL_OPTION(group, type, option, ...) set_if(#option, load.option) ||
#define DIETMT_CALL_OPTION(group, type, option, ...) set_if(#option, translate.option) ||
#include "nmt/search/search_options.def"
      set_if("source_tag", translate.source_tag) ||
      set_if("source_language", translate.source_language) ||
      set_if("target_language", translate.target_language) || set_if("markup", translate.markup) ||
      set_if("keep", translate.keep) || set_if("split_sentences", translate.split_sentences) ||
      set_if("letter_case", translate.letter_case) || set_if("guard", translate.guard);
  if (!known) throw UsageError("there is no option '" + std::string(name) + "'" + other_way(name));
}

}  // namespace dietmt
