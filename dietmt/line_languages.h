// The languages and tags that a call gives for each of its lines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dietmt/translator.h"
#include "nmt/model/languages.h"

namespace dietmt {

/// Lists of TranslateOptions with one item per line. Without any, all lines have the same choice.
class LineLanguages {
 public:
  /// Throws ConfigError if an option is given for all lines and for each, and DataError for lists
  /// of different lengths.
  explicit LineLanguages(const TranslateOptions& options);

  bool empty() const { return lists_.empty(); }
  /// The items of a list; 0 without lists.
  int64_t lines() const { return empty() ? 0 : std::ssize(lists_.front().items); }
  /// The choice of lines that have no own one.
  const nmt::LanguageChoice& usual() const { return usual_; }
  /// The choice of line `number`, from 0; nullopt without lists.
  std::optional<nmt::LanguageChoice> of(int64_t number) const;

  /// Throws DataError if the lists have other than `lines` items.
  void require_lines(int64_t lines) const;
  /// As require_lines(), for line `number` of unknown many, or their end.
  void require_line(int64_t number, bool is_end) const;

 private:
  struct List {
    const char* name;  // of its items
    std::string nmt::LanguageChoice::*side;
    std::vector<std::string> items;
  };

  void add(const char* name, std::string nmt::LanguageChoice::*side, const char* option,
           const std::vector<std::string>& items);

  nmt::LanguageChoice usual_;
  std::vector<List> lists_;
};

}  // namespace dietmt
