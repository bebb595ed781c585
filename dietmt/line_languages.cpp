#include "dietmt/line_languages.h"

#include "common/error.h"

namespace dietmt {

using nmt::LanguageChoice;

LineLanguages::LineLanguages(const TranslateOptions& options)
    : usual_{.source_tag = options.source_tag,
             .source = options.source_language,
             .target = options.target_language} {
  add("source tags", &LanguageChoice::source_tag, "source_tag", options.source_tags);
  add("source languages", &LanguageChoice::source, "source_language", options.source_languages);
  add("target languages", &LanguageChoice::target, "target_language", options.target_languages);
}

void LineLanguages::add(const char* name, std::string LanguageChoice::*side, const char* option,
                        const std::vector<std::string>& items) {
  if (items.empty()) return;
  if (!(usual_.*side).empty())
    throw ConfigError("there are " + std::string(name) + " for each line: leave out " + option);
  lists_.push_back({name, side, items});
  if (std::ssize(items) != lines())
    throw DataError("there are " + std::to_string(lines()) + " " + lists_.front().name + ", but " +
                    std::to_string(items.size()) + " " + name);
}

std::optional<LanguageChoice> LineLanguages::of(int64_t number) const {
  if (empty()) return std::nullopt;
  LanguageChoice choice = usual_;
  for (const List& list : lists_) choice.*list.side = list.items.at(static_cast<size_t>(number));
  return choice;
}

void LineLanguages::require_lines(int64_t lines) const {
  if (empty() || this->lines() == lines) return;
  throw DataError("there are " + std::to_string(this->lines()) + " " + lists_.front().name +
                  ", but " + std::to_string(lines) + " lines");
}

void LineLanguages::require_line(int64_t number, bool is_end) const {
  if (empty()) return;
  if (is_end) return require_lines(number);
  if (number == lines())
    throw DataError("there are " + std::to_string(number) + " " + lists_.front().name +
                    ", but more lines");
}

}  // namespace dietmt
