// Prints an option table: --help for people, --help-json for programs.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "common/json_fields.h"
#include "common/options.h"

namespace dietmt {
namespace {

using nlohmann::ordered_json;

constexpr size_t kHelpColumn = 34;
constexpr size_t kHelpWidth = 100;

// Wraps `text` into the help column.
std::string wrapped(const std::string& head, const std::string& text) {
  std::string out = "  " + head;
  if (out.size() + 2 > kHelpColumn)
    out += '\n' + std::string(kHelpColumn, ' ');
  else
    out += std::string(kHelpColumn - out.size(), ' ');
  size_t column = kHelpColumn;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (column > kHelpColumn && column + word.size() + 1 > kHelpWidth) {
      out += '\n' + std::string(kHelpColumn, ' ');
      column = kHelpColumn;
    }
    if (column > kHelpColumn) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out + '\n';
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

const char* type_of(std::string*) { return "string"; }
const char* type_of(int64_t*) { return "integer"; }
const char* type_of(double*) { return "number"; }
const char* type_of(bool*) { return "flag"; }
template <typename T>
const char* type_of(std::optional<T>*) {
  return type_of(static_cast<T*>(nullptr));
}
template <typename T>
const char* type_of(std::vector<T>*) {
  return type_of(static_cast<T*>(nullptr));
}

// The range, if a user could plausibly hit its bounds.
std::string range_worth_saying(const OptionRule& rule) {
  constexpr double kNear = 100;
  const double upper = rule.most.value_or(rule.below.value_or(OptionRule::kMost));
  if (upper <= kNear) return rule.text();
  return rule.least && *rule.least > 1 ? "at least " + text_of(*rule.least) : "";
}

void describe_rule(const OptionRule& rule, ordered_json& option) {
  option["required"] = rule.required;
  if (rule.is_new) option["new"] = true;
  if (!rule.choices.empty()) option["choices"] = rule.choices;
  const auto bound = [&](const char* name, const std::optional<double>& value) {
    if (value) option[name] = json_number(*value);
  };
  bound("least", rule.least);
  bound("above", rule.above);
  bound("most", rule.most);
  bound("below", rule.below);
}

std::string option_head(const std::string& name, bool is_flag, const std::string& placeholder) {
  const char letter = option_letter(name);
  return (letter == '\0' ? "" : std::string("-") + letter + ", ") + "--" + name +
         (is_flag ? "" : " " + placeholder);
}

}  // namespace

std::vector<OptionTable::Option> OptionTable::shared_options(Shared& values) {
  return {
      {"config", &values.config, "FILE",
       "read options from FILE, one `name = value` per line; the command line wins"},
      {"dump-config", &values.dump_config, "",
       "print all options in that form and exit, those not given as comments with their "
       "defaults"},
      {"quiet", &values.quiet, "", "show only warnings and errors, and no progress bar"},
      {"log-file", &values.log_file, "FILE", "also append all messages, with the time, to FILE"},
      {"help", &values.help, "", "print the options that most users need and exit"},
      {"help-all", &values.help_all, "", "print all options and exit"},
      {"version", &values.version, "", "print the version and exit"},
      {"help-json", &values.help_json, "", ""}};
}

bool OptionTable::is_basic(const Option& option) const {
  return basics_.empty() || option.rule.required ||
         std::find(basics_.begin(), basics_.end(), option.name) != basics_.end();
}

std::string OptionTable::Option::facts() const {
  std::string text;
  const auto add = [&](const std::string& fact) { text += (text.empty() ? "" : "; ") + fact; };
  if (rule.required) add("required");
  if (rule.choices.empty() && !range_worth_saying(rule).empty()) add(range_worth_saying(rule));
  const std::string value = joined(defaults);
  if (!is_flag() && !value.empty()) add("default: " + value);
  return text;
}

std::string OptionTable::help(bool all) const {
  std::string text =
      "usage: dietmt " + command_ + " " + synopsis_ + " [options]\n\n" + description_ + "\n";
  std::string group;
  size_t left_out = 0;
  const auto show = [&](const Option& option) {
    const std::string facts = option.facts();
    text += wrapped(option_head(option.name, option.is_flag(), option.placeholder),
                    option.help + (facts.empty() ? "" : " (" + facts + ")"));
  };
  for (const Option& option : options_) {
    if (!all && !is_basic(option)) {
      ++left_out;
      continue;
    }
    if (option.group != group) text += "\n" + option.group + ":\n";
    group = option.group;
    show(option);
  }
  text += "\nEvery command:\n";
  Shared unused;
  for (const Option& option : shared_options(unused))
    if (!option.help.empty()) show(option);
  if (!examples_.empty()) text += examples_.size() == 1 ? "\nExample:\n" : "\nExamples:\n";
  for (const std::string& example : examples_) text += "  " + example + '\n';
  if (left_out > 0)
    text += "\n" + std::to_string(left_out) + " more options: dietmt " + command_ + " --help-all\n";
  return text;
}

std::string OptionTable::describe() const {
  ordered_json options = ordered_json::array();
  const auto add = [&](const Option& option, const std::string& group, bool basic) {
    ordered_json described{{"name", option.name},
                           {"group", group},
                           {"help", option.help},
                           {"facts", option.facts()},
                           {"placeholder", option.placeholder},
                           {"basic", basic},
                           {"list", option.is_list()}};
    if (const char letter = option_letter(option.name); letter != '\0')
      described["letter"] = std::string(1, letter);
    std::visit([&](auto* field) { described["type"] = type_of(field); }, option.field);
    ordered_json& defaults = described["default"] = ordered_json::array();
    for (const std::string& value : option.defaults)
      if (!value.empty()) defaults.push_back(value);
    describe_rule(option.rule, described);
    options.push_back(std::move(described));
  };
  for (const Option& option : options_) add(option, option.group, is_basic(option));
  Shared unused;
  for (const Option& option : shared_options(unused))
    if (!option.help.empty()) add(option, "Every command", true);
  const ordered_json all{{"command", command_},       {"synopsis", synopsis_},
                         {"positional", positional_}, {"description", description_},
                         {"examples", examples_},     {"options", options}};
  return all.dump(1) + '\n';
}

}  // namespace dietmt
