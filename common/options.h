// Command-line flags and config-file keys bound once to the fields of plain option structs.
//
//   TrainOptions options;
//   OptionTable table("train", "--train-source FILE... --output DIR", "Trains a model.");
//   table.group("Data").add("train-source", &options.train_source, "FILE...", "source text");
//   if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
//
// Every table has --help, --config FILE (lines `name = value`, the same names) and --dump-config.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace dietmt {

class OptionTable {
 public:
  using Field = std::variant<std::string*, int64_t*, double*, bool*, std::vector<std::string>*,
                             std::vector<int64_t>*, std::vector<double>*, std::optional<int64_t>*,
                             std::optional<double>*, std::optional<std::string>*>;

  enum class Outcome { kRun, kDone };

  /// `synopsis`: the required part of the usage line.
  OptionTable(std::string command, std::string synopsis, std::string description);

  /// Starts a group of options under its own heading in --help.
  OptionTable& group(std::string title);

  /// Binds `--name PLACEHOLDER` to `field`, whose present value is the default. A bool is a flag
  /// without a value on the command line.
  OptionTable& add(std::string name, Field field, std::string placeholder, std::string help);

  /// Parses the words after the subcommand. kDone: --help or --dump-config was printed on stdout.
  /// Throws ConfigError for unknown names, missing or malformed values.
  Outcome parse(const std::vector<std::string>& arguments);

  /// True if the option was given on the command line or in the config file.
  bool given(const std::string& name) const;

  /// All options with their present values, as text; options of std::optional type that are unset
  /// are left out.
  std::vector<std::pair<std::string, std::string>> resolved() const;

  std::string help() const;

 private:
  struct Option {
    std::string name;
    Field field;
    std::string placeholder;
    std::string help;
    std::string group;
  };

  void dump_config() const;

  std::string command_;
  std::string synopsis_;
  std::string description_;
  std::string group_ = "Options";
  std::string config_file_;
  bool dump_ = false;
  bool help_ = false;
  std::vector<Option> options_;
  std::vector<std::string> given_;
};

}  // namespace dietmt
