// The named texts that a line of JSON or TSV gives: what to translate, its languages, tag and
// prefix.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "nmt/translation/line_request.h"

namespace dietmt::nmt {

class LineFields {
 public:
  static constexpr const char* kSource = "source";
  static constexpr const char* kNames = "source, source_language, target_language, tag, prefix";

  /// Whether set() takes it.
  static bool is_known(std::string_view name);

  /// A line's `languages` are the usual ones before.
  explicit LineFields(const LanguageChoice& usual) : languages_(usual) {}

  void set(std::string_view name, std::string value);

  /// Puts all except the source into `extras` and returns the source. Throws DataError without one.
  std::string take(LineExtras& extras);

 private:
  std::optional<std::string> source_;
  LanguageChoice languages_;
  std::string prefix_;
};

}  // namespace dietmt::nmt
