#include "common/options.h"

#include <algorithm>
#include <boost/program_options.hpp>
#include <charconv>
#include <filesystem>
#include <iostream>
#include <type_traits>
#include <utility>

#include "common/config_file.h"
#include "common/error.h"
#include "common/logging.h"

namespace dietmt {
namespace {

namespace po = boost::program_options;
using Words = std::vector<std::string>;

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

// Of a field or of a list or optional of such.
template <typename Number, typename T>
constexpr bool holds(const T*) {
  return std::is_same_v<T, Number> || std::is_same_v<T, std::optional<Number>> ||
         std::is_same_v<T, std::vector<Number>>;
}

template <typename T>
std::string problem_of(const OptionRule& rule, const std::string& name, const T& value) {
  return rule.problem(name, value);
}
std::string problem_of(const OptionRule&, const std::string&, bool) { return {}; }

// False if the word is no number.
bool read_word(const std::string& word, std::string& value) {
  value = word;
  return true;
}
template <typename Number>
bool read_word(const std::string& word, Number& value) {
  const char* first = word.data() + (word.starts_with("+") ? 1 : 0);
  const char* last = word.data() + word.size();
  const auto [end, error] = std::from_chars(first, last, value);
  return error == std::errc() && end == last;
}

// Boost assigns through a notifier, so that a default never shows up as a given value. Numbers
// arrive as words, so that all malformed ones are reported together: complain(word).
template <typename T, typename Complain>
po::value_semantic* semantic(T* field, const Complain& complain) {
  return po::value<std::string>()->notifier([=](const std::string& word) {
    if (!read_word(word, *field)) complain(word);
  });
}
template <typename Complain>
po::value_semantic* semantic(bool* field, const Complain&) {
  return po::value<bool>()
      ->implicit_value(true, "true")
      ->zero_tokens()
      ->notifier([field](bool value) { *field = value; });
}
template <typename T, typename Complain>
po::value_semantic* semantic(std::vector<T>* field, const Complain& complain) {
  return po::value<Words>()->multitoken()->notifier([=](const Words& words) {
    field->resize(words.size());
    for (size_t i = 0; i < words.size(); ++i)
      if (!read_word(words[i], (*field)[i])) complain(words[i]);
  });
}
template <typename T, typename Complain>
po::value_semantic* semantic(std::optional<T>* field, const Complain& complain) {
  return po::value<std::string>()->notifier([=](const std::string& word) {
    if (!read_word(word, field->emplace())) complain(word);
  });
}

// Optimal string alignment: no letter is edited twice. Only three rows of the table are kept.
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

// unknown_option(name): the error for a name that no option has.
template <typename UnknownOption>
po::parsed_options parsed_config_file(const std::string& path, const po::options_description& keys,
                                      const UnknownOption& unknown_option) {
  po::parsed_options parsed(&keys);
  for (const ConfigEntry& entry : read_config_file(path)) {
    const auto refuse = [&](const std::string& problem) {
      throw ConfigError("--config " + path + ":" + std::to_string(entry.line) + ": " + problem);
    };
    const po::option_description* option = keys.find_nothrow(entry.name, false);
    if (option == nullptr) refuse(unknown_option(entry.name));
    // Boost takes an empty word for true.
    if (entry.value.empty() && option->semantic()->max_tokens() == 0)
      refuse(entry.name + " has no value; write true or false");
    parsed.options.emplace_back(entry.name, Words{entry.value});
  }
  return parsed;
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
    return "--" + name + " is missing: give --" + name + " " + placeholder;
  for (const std::string& value : present)
    // A link exists, even one that leads nowhere.
    if (rule.is_new && !value.empty() && exists(std::filesystem::symlink_status(value)))
      return "--" + name + " " + value + " exists already: choose a new path";
  std::string first;
  const auto compare = [&](const auto& value) {
    if (first.empty()) first = problem_of(rule, "--" + name, value);
  };
  std::visit([&](const auto* pointer) { visit_values(*pointer, compare); }, field);
  return first;
}

std::string OptionTable::Option::malformed(const std::string& word) const {
  const bool whole = std::visit([](auto* pointer) { return holds<int64_t>(pointer); }, field);
  return "--" + name + " is '" + word + "'; it must be a " + (whole ? "whole number " : "number ") +
         rule.text();
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
  return *this;
}

OptionTable& OptionTable::basics(std::vector<std::string> names) {
  basics_ = std::move(names);
  return *this;
}

OptionTable& OptionTable::example(std::string command) {
  examples_.push_back(std::move(command));
  return *this;
}

std::string OptionTable::unknown(std::string name) const {
  name.erase(0, std::min(name.find_first_not_of('-'), name.size()));
  Words names = {"config", "dump-config", "quiet", "log-file", "help", "help-all"};
  for (const Option& option : options_) names.push_back(option.name);
  if (std::ranges::find(names, name) != names.end())
    return "unknown option -" + name + "; did you mean --" + name + "?";
  return "unknown option --" + name + suggestion(name, names, "--");
}

OptionTable::Outcome OptionTable::parse(const std::vector<std::string>& arguments) {
  for (Option& option : options_) option.defaults = option.values();
  Words malformed;
  const auto bind = [](po::options_description& all, const char* name, auto* field,
                       const auto& complain) {
    all.add_options()(name, semantic(field, complain), "");
  };
  po::options_description flags;
  for (const Option& option : options_) {
    const auto complain = [&malformed, &option](const std::string& word) {
      malformed.push_back(option.malformed(word));
    };
    std::visit([&](auto* pointer) { bind(flags, option.name.c_str(), pointer, complain); },
               option.field);
  }
  const auto ignore = [](const std::string&) {};
  bind(flags, "quiet", &quiet_, ignore);
  bind(flags, "log-file", &log_file_, ignore);
  po::options_description file_keys;
  file_keys.add(flags);
  bind(flags, "config", &config_file_, ignore);
  bind(flags, "dump-config", &dump_, ignore);
  bind(flags, "help,h", &help_, ignore);
  bind(flags, "help-all", &help_all_, ignore);
  bind(flags, "help-json", &help_json_, ignore);

  const std::string hint = "; see dietmt " + command_ + " --help-all";
  po::variables_map values;
  try {
    const int style =
        po::command_line_style::default_style & ~po::command_line_style::allow_guessing;
    const po::parsed_options parsed =
        po::command_line_parser(arguments).options(flags).style(style).run();
    for (const po::option& option : parsed.options)
      if (option.position_key >= 0)
        throw ConfigError("unexpected argument '" + option.value.front() + "'" + hint);
    po::store(parsed, values);
    if (values.count("config")) {
      const std::string path = values["config"].as<std::string>();
      try {
        po::store(parsed_config_file(path, file_keys,
                                     [&](const std::string& name) { return unknown(name) + hint; }),
                  values);
      } catch (const po::error& error) {
        throw ConfigError("--config " + path + ": " + error.what());
      }
    }
    po::notify(values);
  } catch (const po::unknown_option& error) {
    throw ConfigError(unknown(error.get_option_name()) + hint);
  } catch (const po::error& error) {
    throw ConfigError(error.what() + hint);
  }
  for (const auto& [name, value] : values) given_.push_back(name);
  if (help_ || help_all_ || help_json_) {
    std::cout << (help_json_ ? describe() : help(help_all_));
    return Outcome::kDone;
  }
  if (!dump_) set_logging(quiet_, log_file_);
  throw_if_any(malformed);
  if (dump_) {
    dump_config();
    return Outcome::kDone;
  }
  return Outcome::kRun;
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
  return std::find(given_.begin(), given_.end(), name) != given_.end();
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

// An option that reads back counts as given, and would overrule what a preset or a model says.
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
