#include "common/options.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <sstream>
#include <type_traits>
#include <utility>

#include "common/config_file.h"
#include "common/error.h"
#include "common/foreign_options.h"
#include "common/logging.h"
#include "common/numbers.h"
#include "common/option_words.h"
#include "common/version.h"

namespace dietmt {
namespace {

using Words = std::vector<std::string>;

constexpr std::string_view kOnlyOnLine[] = {"dump-config", "help", "help-all", "help-json",
                                            "version"};

// DIETMT_SERVE_MAX_BODY for DIETMT_SERVE_ and max-body.
std::string variable_of(const std::string& prefix, const std::string& option) {
  std::string variable = prefix;
  for (const char c : option)
    variable += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return variable;
}

Words words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

std::string text_of(const std::string& value) { return value; }
std::string text_of(int64_t value) { return std::to_string(value); }
std::string text_of(bool value) { return value ? "true" : "false"; }
using dietmt::text_of;

// Calls visit(value) for each value of a field.
template <typename T, typename Visit>
void visit_values(const T& value, const Visit& visit) {
  visit(value);
}
template <typename T, typename Visit>
void visit_values(const std::vector<T>& values, const Visit& visit) {
  for (const T& value : values) visit(value);
}
template <typename T, typename Visit>
void visit_values(const std::optional<T>& value, const Visit& visit) {
  if (value) visit(*value);
}

// Whether a field, or the elements of a list or optional, have type Number.
template <typename Number, typename T>
constexpr bool holds(const T*) {
  return std::is_same_v<T, Number> || std::is_same_v<T, std::optional<Number>> ||
         std::is_same_v<T, std::vector<Number>>;
}

// Returns false if the word is not a value of that type.
using dietmt::read_word;
bool read_word(const std::string& word, std::string& value) {
  value = word;
  return true;
}
template <typename Number>
bool read_word(const std::string& word, Number& value) {
  const auto number =
      number_in<Number>(std::string_view(word).substr(word.starts_with("+") ? 1 : 0));
  if (number) value = *number;
  return number.has_value();
}

// Fills the field; calls complain(word) for each word that is not a value of its type.
template <typename T, typename Complain>
void read_words(const Words& words, T& field, const Complain& complain) {
  if (!read_word(words.back(), field)) complain(words.back());
}
template <typename T, typename Complain>
void read_words(const Words& words, std::vector<T>& field, const Complain& complain) {
  field.resize(words.size());
  for (size_t i = 0; i < words.size(); ++i)
    if (!read_word(words[i], field[i])) complain(words[i]);
}
template <typename T, typename Complain>
void read_words(const Words& words, std::optional<T>& field, const Complain& complain) {
  read_words(words, field.emplace(), complain);
}

template <typename T>
bool is_vector(const T*) {
  return false;
}
template <typename T>
bool is_vector(const std::vector<T>*) {
  return true;
}

// Optimal string alignment: no letter is edited twice. Keeps only three rows of the table.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before, last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    before = std::exchange(last, row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const bool same = a[i - 1] == b[j - 1];
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string> OptionTable::Option::values() const {
  std::vector<std::string> texts;
  const auto note = [&](const auto& value) { texts.push_back(text_of(value)); };
  std::visit([&](const auto* pointer) { visit_values(*pointer, note); }, field);
  return texts;
}

std::string OptionTable::Option::problem() const {
  const std::vector<std::string> present = values();
  const bool is_missing = std::all_of(present.begin(), present.end(),
                                      [](const std::string& value) { return value.empty(); });
  if (rule.required && is_missing)
    return "--" + name + " is missing: give --" + name + " " + placeholder +
           (is_positional ? ", or " + placeholder + " without --" + name : "");
  for (const std::string& value : present)
    // symlink_status() also sees dangling links.
    if (rule.is_new && !value.empty() && exists(std::filesystem::symlink_status(value)))
      return shown() + " " + value + " exists already: choose a new path";
  std::string first;
  const auto compare = [&](const auto& value) {
    if (first.empty()) first = rule.problem(shown(), value);
  };
  std::visit([&](const auto* pointer) { visit_values(*pointer, compare); }, field);
  return first;
}

std::string OptionTable::Option::malformed(const std::string& word) const {
  const bool whole = std::visit([](auto* pointer) { return holds<int64_t>(pointer); }, field);
  const std::string wanted =
      is_flag() ? "true or false" : (whole ? "a whole number " : "a number ") + rule.text();
  return shown() + " is '" + word + "'; it must be " + wanted;
}

bool OptionTable::Option::is_flag() const { return std::holds_alternative<bool*>(field); }

bool OptionTable::Option::is_list() const {
  return std::visit([](auto* pointer) { return is_vector(pointer); }, field);
}

OptionShape OptionTable::Option::shape() const {
  using Values = OptionShape::Values;
  return {name,
          is_flag()                                   ? Values::kFlag
          : is_list() && placeholder.ends_with("...") ? Values::kSeveral
                                                      : Values::kOne,
          placeholder};
}

OptionTable::OptionTable(std::string command, std::string synopsis, std::string description)
    : command_(std::move(command)),
      synopsis_(std::move(synopsis)),
      description_(std::move(description)) {}

OptionTable& OptionTable::group(std::string title) {
  group_ = std::move(title);
  return *this;
}

OptionTable& OptionTable::add(std::string name, Field field, std::string placeholder,
                              std::string help, OptionRule rule) {
  if (placeholder.empty()) {
    for (const std::string& choice : rule.choices)
      placeholder += (placeholder.empty() ? "" : "|") + choice;
  }
  const auto is_number = [](auto* p) { return holds<int64_t>(p) || holds<double>(p); };
  if (std::visit(is_number, field)) {
    if (!rule.least && !rule.above) rule.least = -OptionRule::kMost;
    if (!rule.most && !rule.below) rule.most = OptionRule::kMost;
  }
  options_.push_back(
      {std::move(name), field, std::move(placeholder), std::move(help), group_, std::move(rule)});
  options_.back().defaults = options_.back().values();
  return *this;
}

OptionTable& OptionTable::basics(std::vector<std::string> names) {
  basics_ = std::move(names);
  return *this;
}

OptionTable& OptionTable::environment(std::string prefix) {
  environment_ = std::move(prefix);
  return *this;
}

OptionTable& OptionTable::example(std::string command) {
  examples_.push_back(std::move(command));
  return *this;
}

OptionTable& OptionTable::positional(const std::string& name) {
  positional_ = name;
  for (Option& option : options_) option.is_positional = option.name == name;
  return *this;
}

std::string OptionTable::unknown(const std::string& typed) const {
  std::string name = typed.substr(std::min(typed.find_first_not_of('-'), typed.size()));
  std::ranges::replace(name, '_', '-');
  Shared unused;
  Words names;
  for (const Option& option : options_) names.push_back(option.name);
  for (const Option& option : shared_options(unused))
    if (!option.help.empty()) names.push_back(option.name);
  const bool known = std::ranges::find(names, name) != names.end();
  std::string hint = known ? "; did you mean --" + name + "?" : foreign_option(name, names);
  if (hint.empty()) hint = suggestion(name, names, "--");
  if (hint.empty()) hint = "; see dietmt " + command_ + " --help-all";
  return "unknown option " + typed + hint;
}

std::vector<GivenOption> OptionTable::given_on_line(const Words& arguments,
                                                    const std::vector<Option*>& known) const {
  std::vector<OptionShape> shapes;
  for (const Option* option : known) shapes.push_back(option->shape());
  const std::string hint =
      "; usage: dietmt " + command_ + " " + synopsis_ + "; see dietmt " + command_ + " --help-all";
  std::vector<GivenOption> given =
      given_options(arguments, shapes, [&](const std::string& typed) { return unknown(typed); });
  const auto is_taken = [&](const GivenOption& option) { return option.name == positional_; };
  for (GivenOption& option : given) {
    if (!option.name.empty()) continue;
    if (positional_.empty()) throw ConfigError("unexpected argument '" + option.typed + "'" + hint);
    const bool several = std::ranges::any_of(
        options_, [&](const Option& one) { return one.name == positional_ && one.is_list(); });
    if (const auto taken = std::ranges::find_if(given, is_taken); !several && taken != given.end())
      throw ConfigError("unexpected argument '" + option.typed + "': --" + positional_ +
                        " is given already, as '" + taken->values.back() + "'" + hint);
    option.name = positional_;
    option.typed = "--" + positional_;
  }
  return given;
}

std::vector<GivenOption> OptionTable::given_in_environment(
    const std::vector<Option*>& known) const {
  std::vector<GivenOption> given;
  if (environment_.empty()) return given;
  for (const Option* option : known) {
    const std::string variable = variable_of(environment_, option->name);
    const char* const value = std::getenv(variable.c_str());
    if (value == nullptr || std::ranges::find(kOnlyOnLine, option->name) != std::end(kOnlyOnLine))
      continue;
    given.push_back({option->name, variable, {value}});
    if (option->is_list()) given.back().values = words_of(value);
    if (option->is_flag() && *value == '\0')
      throw ConfigError(variable + " has no value; write true or false");
  }
  return given;
}

std::vector<GivenOption> OptionTable::given_in_file(const std::string& path,
                                                    const std::vector<Option*>& known) const {
  std::vector<GivenOption> given;
  for (const ConfigEntry& entry : read_config_file(path)) {
    const std::string place = "--config " + path + ":" + std::to_string(entry.line) + ": ";
    const auto found = std::ranges::find(known, entry.name, &Option::name);
    if (found == known.end()) throw ConfigError(place + unknown("--" + entry.name));
    if (entry.name == "config" ||
        std::ranges::find(kOnlyOnLine, entry.name) != std::end(kOnlyOnLine))
      throw ConfigError(place + entry.name + " works only on the command line");
    if (entry.value.empty() && (*found)->is_flag())
      throw ConfigError(place + entry.name + " has no value; write true or false");
    given.push_back({entry.name, place + entry.name, {entry.value}});
  }
  return given;
}

void OptionTable::take(const std::vector<GivenOption>& given, const std::vector<Option*>& known,
                       Remarks& remarks) {
  for (Option* option : known) {
    if (!option->typed.empty()) continue;
    Words words;
    std::string first;
    bool differs = false;
    for (const GivenOption& one : given) {
      if (one.name != option->name) continue;
      differs = differs || (!words.empty() && one.values != words);
      if (!option->is_list()) words.clear();
      words.insert(words.end(), one.values.begin(), one.values.end());
      option->typed = one.typed;
    }
    if (words.empty()) continue;
    if (differs && !option->is_list())
      remarks.notices.push_back("--" + option->name +
                                " is given more than once; the last value counts: " + words.back());
    const auto complain = [&](const std::string& word) {
      remarks.problems.push_back(option->malformed(word));
    };
    std::visit([&](auto* field) { read_words(words, *field, complain); }, option->field);
  }
}

OptionTable::Outcome OptionTable::parse(const Words& arguments) {
  Shared shared;
  std::vector<Option> shared_ones = shared_options(shared);
  std::vector<Option*> known;
  for (Option& option : options_) known.push_back(&option);
  for (Option& option : shared_ones) known.push_back(&option);
  Remarks remarks;
  take(given_on_line(arguments, known), known, remarks);
  take(given_in_environment(known), known, remarks);
  if (!shared.config.empty()) take(given_in_file(shared.config, known), known, remarks);

  if (shared.version)
    std::cout << version_line() << '\n';
  else if (shared.help_json)
    std::cout << describe();
  else if (shared.help || shared.help_all)
    std::cout << help(shared.help_all);
  if (shared.version || shared.help_json || shared.help || shared.help_all) return Outcome::kDone;
  if (!shared.dump_config) set_logging(shared.quiet, shared.log_file);
  throw_if_any(remarks.problems);
  for (const std::string& notice : remarks.notices) spdlog::info("{}", notice);
  if (!shared.dump_config) return Outcome::kRun;
  dump_config();
  return Outcome::kDone;
}

void OptionTable::check(const std::vector<std::string>& problems) const {
  std::vector<std::string> found, broken_options;
  for (const Option& option : options_) {
    const std::string problem = option.problem();
    if (problem.empty()) continue;
    found.push_back(problem);
    broken_options.push_back("--" + option.name);
  }
  for (const std::string& problem : problems) {
    const std::string first = problem.substr(0, problem.find_first_of(" :"));
    if (std::find(broken_options.begin(), broken_options.end(), first) == broken_options.end())
      found.push_back(problem);
  }
  throw_if_any(found);
}

bool OptionTable::allows(const std::string& name) const {
  return std::all_of(options_.begin(), options_.end(), [&](const Option& option) {
    return option.name != name || option.problem().empty();
  });
}

bool OptionTable::given(const std::string& name) const {
  return std::ranges::any_of(
      options_, [&](const Option& option) { return option.name == name && !option.typed.empty(); });
}

bool OptionTable::changed(const std::string& name) const {
  return given(name) && std::any_of(options_.begin(), options_.end(), [&](const Option& option) {
           return option.name == name && option.values() != option.defaults;
         });
}

std::vector<std::pair<std::string, std::string>> OptionTable::resolved() const {
  std::vector<std::pair<std::string, std::string>> all;
  for (const Option& option : options_)
    for (const std::string& value : option.values()) all.emplace_back(option.name, value);
  return all;
}

// Options at their defaults are printed as comments: reading them back would count as giving them,
// and would override a preset or a model.
void OptionTable::dump_config() const {
  std::cout << "# Options of dietmt " << command_
            << ". Those in comments were not given: the value is the default,\n"
               "# which other options, such as --preset, may change.\n";
  for (const auto& [name, value] : resolved())
    std::cout << (given(name) ? "" : "# ") << config_line(name, value);
}

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates,
                       std::string_view prefix) {
  constexpr size_t kLongest = 64;  // no name is longer
  if (word.empty() || word.size() > kLongest) return {};
  size_t least = std::max<size_t>(1, word.size() / 3) + 1;
  const std::string* nearest = nullptr;
  for (const std::string& candidate : candidates) {
    const size_t distance = edit_distance(word, candidate);
    if (distance >= least) continue;
    least = distance;
    nearest = &candidate;
  }
  if (nearest == nullptr) return {};
  return "; did you mean " + std::string(prefix) + *nearest + "?";
}

}  // namespace dietmt
