#include "nmt/reranking/nbest_reader.h"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "common/error.h"
#include "common/json_fields.h"
#include "nmt/translation/text_lines.h"

namespace dietmt::nmt {
namespace {

constexpr std::string_view kSeparator = " ||| ";

struct NumberedTranslation {
  int64_t line;
  ListedTranslation translation;
};

template <typename Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Behind the score there may be an alignment, which is no number.
std::optional<NumberedTranslation> parse(std::string_view line) {
  const size_t first = line.find(kSeparator);
  if (first == std::string_view::npos) return std::nullopt;
  const auto index = number<int64_t>(line.substr(0, first));
  std::string_view rest = line.substr(first + kSeparator.size());
  for (int field = 0; field < 2; ++field) {
    const size_t last = rest.rfind(kSeparator);
    if (last == std::string_view::npos) return std::nullopt;
    const auto score = number<double>(rest.substr(last + kSeparator.size()));
    rest = rest.substr(0, last);
    if (score && !std::isfinite(*score)) return std::nullopt;
    if (index && score) return NumberedTranslation{*index, {std::string(rest), *score}};
  }
  return std::nullopt;
}

// A list has one line for each translation, and so have the files that come of it.
void check_one_line(const std::string& text, const std::string& where, const char* name) {
  if (text.find_first_of("\r\n") != std::string::npos)
    throw DataError(where + ": \"" + name + "\" has a line break");
}

}  // namespace

NBestReader::NBestReader(const std::string& list, const std::string& source)
    : list_(list), path_(list == "-" ? "<stdin>" : list) {
  read_line();
  const bool is_empty = !has_line_;  // in either form
  is_json_ = line_.starts_with('{') || (is_empty && source.empty());
  if (is_json_ && !source.empty())
    throw ConfigError(path_ + " has the source lines: leave out --source");
  if (!is_json_ && source.empty())
    throw ConfigError(path_ + " has no source lines: give them with --source");
  if (!is_json_) source_.emplace(open_text(source));
}

void NBestReader::read_line() {
  has_line_ = list_.next(line_);
  if (has_line_)
    clean_line(line_, list_);
  else
    line_.clear();
}

bool NBestReader::next(ListedSentence& sentence) {
  sentence.translations.clear();
  const bool found = is_json_ ? next_of_json(sentence) : next_of_text(sentence);
  sentences_ += found ? 1 : 0;
  return found;
}

bool NBestReader::next_of_json(ListedSentence& sentence) {
  if (!has_line_) return false;
  try {
    const nlohmann::json object = parse_json(line_);
    read_field(object, "source", sentence.source);
    check_one_line(sentence.source, list_.where(), "source");
    for (const nlohmann::json& one : any_field(object, "translations")) {
      ListedTranslation& translation = sentence.translations.emplace_back();
      read_field(one, "text", translation.text);
      check_one_line(translation.text, list_.where(), "text");
      read_field(one, "score", translation.score);
    }
  } catch (const CheckpointError& error) {
    throw DataError(list_.where() + ": " + error.what());
  }
  if (sentence.translations.empty()) throw DataError(list_.where() + ": \"translations\" is empty");
  read_line();
  return true;
}

bool NBestReader::next_of_text(ListedSentence& sentence) {
  const bool has_source = source_->next(sentence.source);
  if (has_source) clean_line(sentence.source, *source_);
  while (has_line_) {
    std::optional<NumberedTranslation> found = parse(line_);
    if (!found)
      throw DataError(list_.where() +
                      ": this is not 'line ||| text ||| score', as translate --nbest writes it");
    if (found->line < sentences_)
      throw DataError(list_.where() + ": line " + std::to_string(found->line) +
                      " comes again; the translations of a line must be together, in order");
    if (!has_source)
      throw DataError(list_.where() + ": a translation of line " + std::to_string(found->line) +
                      ", but the source ends after " + std::to_string(sentences_) +
                      " lines: " + source_->where());
    if (found->line > sentences_) break;
    sentence.translations.push_back(std::move(found->translation));
    read_line();
  }
  if (!has_source) return false;
  if (sentence.translations.empty())
    throw DataError((has_line_ ? list_.where() : path_) + ": line " + std::to_string(sentences_) +
                    ", counted from 0, has no translation; its source is " + source_->where());
  return true;
}

}  // namespace dietmt::nmt
