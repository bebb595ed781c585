// The parts of Xcode's string catalogues: each string of a program with its localizations. A
// localization consists of units, which have a state and a value; variations of it, by plural
// category and device, have one unit each.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "service/documents/strings/json_places.h"

namespace dietmt::service {

class StringCatalog {
 public:
  /// Throws DataError if the text is not such a catalogue, and as json_places() does.
  StringCatalog(std::string_view json, size_t most_values);

  const std::string& source_language() const { return source_language_; }
  /// The code of the catalogue for a language: the only one with that language and any region, or
  /// the given code as Xcode writes it.
  std::string code_of(const std::string& language) const;

  /// The strings that are translated.
  const std::vector<const JsonPlace*>& strings() const { return strings_; }

  std::vector<const JsonPlace*> children_of(const JsonPlace& parent) const;
  /// The member of an object with this key, null without one or if `parent` is null or no object.
  const JsonPlace* member(const JsonPlace* parent, std::string_view key) const;

  /// The units with a value inside a localization, in order.
  std::vector<const JsonPlace*> units_of(const JsonPlace& localization) const;
  /// The values of a unit, or of a set of phrases.
  std::vector<const JsonPlace*> values_of(const JsonPlace& unit) const;
  /// Whether a unit still waits for its translation.
  bool is_open(const JsonPlace& unit) const;

  /// What stands between a key and its value.
  std::string_view colon() const { return colon_; }
  /// The beginning of a line at a depth of the file; or "" if it is on one line.
  std::string line(size_t depth) const;

 private:
  std::string_view json_;
  std::vector<JsonPlace> places_;
  std::string source_language_;
  std::vector<const JsonPlace*> strings_;
  std::set<std::string> codes_;  // of all localizations
  std::string_view colon_;
  std::string_view line_break_;
  std::string_view indent_;
};

/// Whether the key of an object or list of values in a localization is that of a unit.
bool is_unit(const JsonPlace& place);

}  // namespace dietmt::service
