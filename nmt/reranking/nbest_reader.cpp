#include "nmt/reranking/nbest_reader.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <ranges>
#include <string_view>
#include <utility>

#include "common/error.h"
#include "common/json_fields.h"
#include "common/numbers.h"
#include "nmt/translation/line_tokens.h"

namespace dietmt::nmt {
namespace {

constexpr std::string_view kSeparator = " ||| ";

struct NumberedTranslation {
  int64_t line = 0;
  ListedTranslation translation = {};
  std::vector<std::string> names = {};  // of the features
};

// Takes the last field off a line, without the spaces around it; none if it is the only one.
std::optional<std::string_view> take_last(std::string_view& line) {
  const size_t place = line.rfind(kSeparator);
  if (place == std::string_view::npos) return std::nullopt;
  std::string_view field = line.substr(place + kSeparator.size());
  line = line.substr(0, place);
  while (field.starts_with(' ')) field.remove_prefix(1);
  while (field.ends_with(' ')) field.remove_suffix(1);
  return field;
}

// "0-0 1-2", Moses' phrases "0-1=0 2=1", or Marian's probabilities "0.9,0.1 0.2,0.8".
bool is_alignment(std::string_view field) {
  return field.empty() || (field.front() >= '0' && field.front() <= '9' &&
                           field.find_first_of("-,=") != std::string_view::npos &&
                           field.find_first_not_of("0123456789-,.=e ") == std::string_view::npos);
}

// Whether it begins with `NAME=` or `NAME=VALUE`.
bool has_features(std::string_view field) {
  const std::string_view word = field.substr(0, field.find(' '));
  const size_t equals = word.find('=');
  return equals != std::string_view::npos && equals > 0 &&
         (equals + 1 == word.size() || number_in<double>(word.substr(equals + 1)));
}

void read_features(std::string_view field, NumberedTranslation& found, const std::string& where) {
  std::vector<double>& values = found.translation.features;
  std::string name;
  size_t first = 0;  // of its values
  const auto end_feature = [&] {
    const size_t count = values.size() - first;
    if (count == 0) throw DataError(where + ": feature '" + name + "' has no value");
    for (size_t i = 0; i < count; ++i)
      found.names.push_back(count == 1 ? name : name + "." + std::to_string(i + 1));
    first = values.size();
  };
  for (const auto part : std::views::split(field, ' ')) {
    std::string_view word(part.begin(), part.end());
    if (const size_t equals = word.find('='); equals != std::string_view::npos) {
      if (!name.empty()) end_feature();
      name = word.substr(0, equals);
      word.remove_prefix(equals + 1);
    }
    if (word.empty()) continue;
    const auto value = number_in<double>(word);
    if (!value || !std::isfinite(*value))
      throw DataError(where + ": feature '" + name + "' has the value '" + std::string(word) +
                      "', which is not a finite number");
    values.push_back(*value);
  }
  end_feature();
}

NumberedTranslation parse(std::string_view line, const std::string& where) {
  const DataError wrong_form(
      where +
      ": this is not 'line ||| text ||| score', as translate --nbest writes it, nor 'line ||| text "
      "||| features ||| score' of Moses and Marian");
  const size_t first = line.find(kSeparator);
  if (first == std::string_view::npos) throw wrong_form;
  const auto index = number_in<int64_t>(line.substr(0, first));
  std::string_view text = line.substr(first + kSeparator.size());
  auto field = take_last(text);
  if (field && !number_in<double>(*field) && is_alignment(*field)) field = take_last(text);
  const auto score = field ? number_in<double>(*field) : std::nullopt;
  if (!index || !score || !std::isfinite(*score)) throw wrong_form;
  NumberedTranslation found{.line = *index};
  found.translation.score = *score;
  std::string_view rest = text;
  field = take_last(rest);
  if (field && has_features(*field)) {
    read_features(*field, found, where);
    text = rest;
    while ((field = take_last(rest)) && (is_alignment(*field) || field->starts_with("WordScores=")))
      text = rest;
  }
  found.translation.text = text;
  return found;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none" : text;
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
  if (!is_json_ && has_line_) feature_names_ = parse(line_, list_.where()).names;
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
    NumberedTranslation found = parse(line_, list_.where());
    if (found.names != feature_names_)
      throw DataError(list_.where() + ": the features are " + listed(found.names) +
                      ", but those of the first line are " + listed(feature_names_));
    if (found.line < sentences_)
      throw DataError(list_.where() + ": line " + std::to_string(found.line) +
                      " comes again; the translations of a line must be together, in order");
    if (!has_source)
      throw DataError(list_.where() + ": a translation of line " + std::to_string(found.line) +
                      ", but the source ends after " + std::to_string(sentences_) +
                      " lines: " + source_->where());
    if (found.line > sentences_) break;
    sentence.translations.push_back(std::move(found.translation));
    read_line();
  }
  if (!has_source) return false;
  if (sentence.translations.empty())
    throw DataError((has_line_ ? list_.where() : path_) + ": line " + std::to_string(sentences_) +
                    ", counted from 0, has no translation; its source is " + source_->where());
  return true;
}

}  // namespace dietmt::nmt
