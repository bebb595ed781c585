// What an option table says about itself: --help for people, --help-json for programs.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "common/options.h"

namespace dietmt {
namespace {

using nlohmann::ordered_json;

constexpr size_t kHelpColumn = 34;
constexpr size_t kHelpWidth = 100;

struct CommonOption {
  const char* name;
  const char* placeholder;
  const char* help;
};
constexpr CommonOption kEveryCommand[] = {
    {"config", "FILE",
     "read options from FILE: lines `name = value`, names as above; the command line wins"},
    {"dump-config", "",
     "print the options in that form and exit; those not given are comments with their defaults"},
    {"quiet", "", "show only warnings and errors, and no progress bar"},
    {"log-file", "FILE", "also append all messages, with the time, to FILE"},
    {"help", "", "print the options that most users need and exit"},
    {"help-all", "", "print all options and exit"}};

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

// Bounds are doubles in the table and often whole numbers.
ordered_json number(double value) {
  if (value == std::floor(value)) return nearest_whole(value);
  return value;
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

template <typename T>
bool is_list(T*) {
  return false;
}
template <typename T>
bool is_list(std::vector<T>*) {
  return true;
}

void describe_rule(const OptionRule& rule, ordered_json& option) {
  option["required"] = rule.required;
  if (rule.is_new) option["new"] = true;
  if (!rule.choices.empty()) option["choices"] = rule.choices;
  const auto bound = [&](const char* name, const std::optional<double>& value) {
    if (value) option[name] = number(*value);
  };
  bound("least", rule.least);
  bound("above", rule.above);
  bound("most", rule.most);
  bound("below", rule.below);
}

}  // namespace

bool OptionTable::is_basic(const Option& option) const {
  return basics_.empty() || option.rule.required ||
         std::find(basics_.begin(), basics_.end(), option.name) != basics_.end();
}

std::string OptionTable::Option::facts() const {
  std::string text;
  const auto add = [&](const std::string& fact) { text += (text.empty() ? "" : "; ") + fact; };
  if (rule.required) add("required");
  if (rule.choices.empty() && !rule.text().empty()) add(rule.text());
  const std::string value = joined(values());
  if (!std::holds_alternative<bool*>(field) && !value.empty()) add("default: " + value);
  return text;
}

std::string OptionTable::help(bool all) const {
  std::string text =
      "usage: dietmt " + command_ + " " + synopsis_ + " [options]\n\n" + description_ + "\n";
  std::string group;
  size_t left_out = 0;
  for (const Option& option : options_) {
    if (!all && !is_basic(option)) {
      ++left_out;
      continue;
    }
    if (option.group != group) text += "\n" + option.group + ":\n";
    group = option.group;
    const bool is_flag = std::holds_alternative<bool*>(option.field);
    const std::string facts = option.facts();
    text += wrapped("--" + option.name + (is_flag ? "" : " " + option.placeholder),
                    option.help + (facts.empty() ? "" : " (" + facts + ")"));
  }
  text += "\nEvery command:\n";
  for (const CommonOption& option : kEveryCommand) {
    const std::string name = option.name;
    const std::string placeholder = option.placeholder;
    text += wrapped(
        (name == "help" ? "-h, --" : "--") + name + (placeholder.empty() ? "" : " " + placeholder),
        option.help);
  }
  if (!examples_.empty()) text += examples_.size() == 1 ? "\nExample:\n" : "\nExamples:\n";
  for (const std::string& example : examples_) text += "  " + example + '\n';
  if (left_out > 0)
    text += "\n" + std::to_string(left_out) + " more options: dietmt " + command_ + " --help-all\n";
  return text;
}

std::string OptionTable::describe() const {
  ordered_json options = ordered_json::array();
  for (const Option& option : options_) {
    ordered_json described{{"name", option.name},
                           {"group", option.group},
                           {"help", option.help},
                           {"facts", option.facts()},
                           {"placeholder", option.placeholder},
                           {"basic", is_basic(option)}};
    std::visit(
        [&](auto* field) {
          described["type"] = type_of(field);
          described["list"] = is_list(field);
        },
        option.field);
    ordered_json& defaults = described["default"] = ordered_json::array();
    for (const std::string& value : option.values())
      if (!value.empty()) defaults.push_back(value);
    describe_rule(option.rule, described);
    options.push_back(std::move(described));
  }
  for (const CommonOption& option : kEveryCommand) {
    const bool is_flag = option.placeholder[0] == '\0';
    options.push_back({{"name", option.name},
                       {"group", "Every command"},
                       {"help", option.help},
                       {"facts", ""},
                       {"placeholder", option.placeholder},
                       {"basic", true},
                       {"type", is_flag ? "flag" : "string"},
                       {"list", false},
                       {"default", ordered_json::array()},
                       {"required", false}});
  }
  const ordered_json all{{"command", command_},
                         {"synopsis", synopsis_},
                         {"description", description_},
                         {"examples", examples_},
                         {"options", options}};
  return all.dump(1) + '\n';
}

}  // namespace dietmt
