#include "common/options.h"

#include <algorithm>
#include <boost/program_options.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "common/error.h"

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

template <typename T>
std::vector<std::string> texts_of(const std::vector<T>& values) {
  std::vector<std::string> texts;
  for (const T& value : values) texts.push_back(text_of(value));
  return texts;
}
template <typename T>
std::vector<std::string> texts_of(const std::optional<T>& value) {
  return value ? std::vector<std::string>{text_of(*value)} : std::vector<std::string>{};
}
template <typename T>
std::vector<std::string> texts_of(const T& value) {
  return {text_of(value)};
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
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

}  // namespace

OptionTable::OptionTable(std::string command, std::string synopsis, std::string description)
    : command_(std::move(command)),
      synopsis_(std::move(synopsis)),
      description_(std::move(description)) {}

OptionTable& OptionTable::group(std::string title) {
  group_ = std::move(title);
  return *this;
}

OptionTable& OptionTable::add(std::string name, Field field, std::string placeholder,
                              std::string help) {
  options_.push_back({std::move(name), field, std::move(placeholder), std::move(help), group_});
  return *this;
}

OptionTable::Outcome OptionTable::parse(const std::vector<std::string>& arguments) {
  const auto bind = [](po::options_description& all, const std::string& name, Field field) {
    std::visit([&](auto* pointer) { all.add_options()(name.c_str(), semantic(pointer), ""); },
               field);
  };
  po::options_description flags;
  for (const Option& option : options_) bind(flags, option.name, option.field);
  po::options_description file_keys;
  file_keys.add(flags);
  bind(flags, "config", &config_file_);
  bind(flags, "dump-config", &dump_);
  bind(flags, "help,h", &help_);

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
  if (help_) {
    std::cout << help();
    return Outcome::kDone;
  }
  if (dump_) {
    dump_config();
    return Outcome::kDone;
  }
  return Outcome::kRun;
}

bool OptionTable::given(const std::string& name) const {
  return std::find(given_.begin(), given_.end(), name) != given_.end();
}

std::vector<std::pair<std::string, std::string>> OptionTable::resolved() const {
  std::vector<std::pair<std::string, std::string>> all;
  for (const Option& option : options_) {
    std::visit(
        [&](auto* field) {
          for (const std::string& text : texts_of(*field)) all.emplace_back(option.name, text);
        },
        option.field);
  }
  return all;
}

void OptionTable::dump_config() const {
  for (const auto& [name, value] : resolved()) std::cout << name << " = " << value << '\n';
}

std::string OptionTable::help() const {
  std::string text =
      "usage: dietmt " + command_ + " " + synopsis_ + " [options]\n\n" + description_ + "\n";
  std::string group;
  for (const Option& option : options_) {
    if (option.group != group) text += "\n" + option.group + ":\n";
    group = option.group;
    const std::string value =
        std::visit([](auto* field) { return joined(texts_of(*field)); }, option.field);
    const bool is_flag = std::holds_alternative<bool*>(option.field);
    std::string help = option.help;
    if (!is_flag && !value.empty()) help += " (default: " + value + ")";
    text += wrapped("--" + option.name + (is_flag ? "" : " " + option.placeholder), help);
  }
  text += "\nEvery command:\n";
  text += wrapped("--config FILE",
                  "read options from FILE: lines `name = value`, names as above; "
                  "flags on the command line win");
  text += wrapped("--dump-config", "print the resolved options in that form and stop");
  text += wrapped("-h, --help", "print this help and stop");
  return text;
}

}  // namespace dietmt
