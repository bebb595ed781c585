#include "common/options.h"

#include <algorithm>
#include <boost/program_options.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "common/error.h"
#include "common/logging.h"

namespace dietmt {
namespace {

namespace po = boost::program_options;

std::string text_of(double value) {
  char shortest[32];
  for (int digits = 6; digits <= 17; ++digits) {
    std::snprintf(shortest, sizeof shortest, "%.*g", digits, value);
    if (std::stod(shortest) == value) break;
  }
  return shortest;
}
std::string text_of(const std::string& value) { return value; }
std::string text_of(int64_t value) { return std::to_string(value); }
std::string text_of(bool value) { return value ? "true" : "false"; }

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

std::string broken(const OptionRule& rule, const std::string& value) {
  return rule.allows(value) ? "" : "'" + value + "'";
}
std::string broken(const OptionRule&, bool) { return {}; }
template <typename Number>
std::string broken(const OptionRule& rule, Number value) {
  return rule.allows(static_cast<double>(value)) ? "" : text_of(value);
}

// Boost assigns through a notifier, so that a default never shows up as a given value.
template <typename T>
po::value_semantic* semantic(T* field) {
  return po::value<T>()->notifier([field](const T& value) { *field = value; });
}
po::value_semantic* semantic(bool* field) {
  return po::value<bool>()
      ->implicit_value(true, "true")
      ->zero_tokens()
      ->notifier([field](bool value) { *field = value; });
}
template <typename T>
po::value_semantic* semantic(std::vector<T>* field) {
  return po::value<std::vector<T>>()->multitoken()->notifier(
      [field](const std::vector<T>& values) { *field = values; });
}
template <typename T>
po::value_semantic* semantic(std::optional<T>* field) {
  return po::value<T>()->notifier([field](const T& value) { *field = value; });
}

}  // namespace

bool OptionRule::allows(const std::string& value) const {
  return choices.empty() || std::find(choices.begin(), choices.end(), value) != choices.end();
}

// Written so that no bound allows NaN.
bool OptionRule::allows(double value) const {
  return (!least || value >= *least) && (!most || value <= *most) && (!above || value > *above) &&
         (!below || value < *below);
}

std::string OptionRule::text() const {
  std::string text;
  for (size_t i = 0; i < choices.size(); ++i) {
    if (i > 0) text += i + 1 < choices.size() ? ", " : " or ";
    text += choices[i];
  }
  if (least && most) return "from " + text_of(*least) + " to " + text_of(*most);
  const auto bound = [&](const char* words, const std::optional<double>& value) {
    if (value) text += (text.empty() ? "" : " and ") + std::string(words) + text_of(*value);
  };
  bound("at least ", least);
  bound("above ", above);
  bound("at most ", most);
  bound("below ", below);
  return text;
}

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
    if (rule.is_new && !value.empty() && std::filesystem::exists(value))
      return "--" + name + " " + value + " exists already: choose a new path";
  std::string first;
  const auto compare = [&](const auto& value) {
    if (first.empty()) first = broken(rule, value);
  };
  std::visit([&](const auto* pointer) { visit_values(*pointer, compare); }, field);
  return first.empty() ? "" : "--" + name + " is " + first + "; it must be " + rule.text();
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
  options_.push_back(
      {std::move(name), field, std::move(placeholder), std::move(help), group_, std::move(rule)});
  return *this;
}

OptionTable::Outcome OptionTable::parse(const std::vector<std::string>& arguments) {
  const auto bind = [](po::options_description& all, const std::string& name, Field field) {
    std::visit([&](auto* pointer) { all.add_options()(name.c_str(), semantic(pointer), ""); },
               field);
  };
  po::options_description flags;
  for (const Option& option : options_) bind(flags, option.name, option.field);
  bind(flags, "quiet", &quiet_);
  bind(flags, "log-file", &log_file_);
  po::options_description file_keys;
  file_keys.add(flags);
  bind(flags, "config", &config_file_);
  bind(flags, "dump-config", &dump_);
  bind(flags, "help,h", &help_);
  bind(flags, "help-json", &help_json_);

  po::variables_map values;
  try {
    const int style =
        po::command_line_style::default_style & ~po::command_line_style::allow_guessing;
    const po::parsed_options parsed =
        po::command_line_parser(arguments).options(flags).style(style).positional({}).run();
    po::store(parsed, values);
    if (values.count("config")) {
      const std::string path = values["config"].as<std::string>();
      std::ifstream file(path);
      if (!file || std::filesystem::is_directory(path))
        throw ConfigError("--config " + path + ": cannot be opened");
      try {
        po::store(po::parse_config_file(file, file_keys), values);
      } catch (const po::error& error) {
        throw ConfigError("--config " + path + ": " + error.what());
      }
    }
    po::notify(values);
  } catch (const po::error& error) {
    throw ConfigError(std::string(error.what()) + "; see dietmt " + command_ + " --help");
  }
  for (const auto& [name, value] : values) given_.push_back(name);
  if (help_ || help_json_) {
    std::cout << (help_ ? help() : describe());
    return Outcome::kDone;
  }
  if (dump_) {
    dump_config();
    return Outcome::kDone;
  }
  set_logging(quiet_, log_file_);
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

std::vector<std::pair<std::string, std::string>> OptionTable::resolved() const {
  std::vector<std::pair<std::string, std::string>> all;
  for (const Option& option : options_)
    for (const std::string& value : option.values()) all.emplace_back(option.name, value);
  return all;
}

void OptionTable::dump_config() const {
  for (const auto& [name, value] : resolved()) std::cout << name << " = " << value << '\n';
}

}  // namespace dietmt
