#include "nmt/translation/line_fields.h"

#include <map>
#include <utility>

#include "common/error.h"

namespace dietmt::nmt {
namespace {

using Side = std::string LanguageChoice::*;

// Fields that are part of a choice of languages.
const std::map<std::string_view, Side>& sides() {
  static const std::map<std::string_view, Side> all = {{"source_language", &LanguageChoice::source},
                                                       {"target_language", &LanguageChoice::target},
                                                       {"tag", &LanguageChoice::source_tag}};
  return all;
}

constexpr std::string_view kPrefix = "prefix";

}  // namespace

bool LineFields::is_known(std::string_view name) {
  return name == kSource || name == kPrefix || sides().contains(name);
}

void LineFields::set(std::string_view name, std::string value) {
  if (name == kSource)
    source_ = std::move(value);
  else if (name == kPrefix)
    prefix_ = std::move(value);
  else
    languages_.*sides().at(name) = std::move(value);
}

std::string LineFields::take(LineExtras& extras) {
  if (!source_) throw DataError("has no source");
  extras.prefix_where = prefix_.empty() ? "" : extras.where;
  extras.prefix = std::move(prefix_);
  extras.languages = std::move(languages_);
  return std::move(*source_);
}

}  // namespace dietmt::nmt
