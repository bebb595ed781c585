// Binds command-line flags and config-file keys to the fields of plain option structs.
//
//   TrainOptions o;
//   OptionTable table("train", "--output DIR", "Trains a model.");
//   table.group("Data")
//       .add("output", &o.output, "DIR", "directory for checkpoints", {.required = true})
//       .add("norm", &o.norm, "", "position of layer norm", {.choices = {"post", "pre"}})
//       .add("beam", &o.beam, "N", "hypotheses kept at each step", {.least = 1, .most = 512});
//   table.basics({"norm"}).example("dietmt train --output model");
//   if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
//   table.check(problems_of(o));
//
// Every table also has the options of shared_options(), such as --help and --config. Flags can be
// negated (--no-name). If an option that is not a list is given twice, the last value wins, with a
// notice.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "common/option_rule.h"
#include "common/option_words.h"

namespace dietmt {

class OptionTable {
 public:
  using Field = std::variant<std::string*, int64_t*, double*, bool*, std::vector<std::string>*,
                             std::vector<int64_t>*, std::vector<double>*, std::optional<int64_t>*,
                             std::optional<double>*, std::optional<std::string>*>;

  enum class Outcome { kRun, kDone };

  /// `synopsis`: the required part of the usage line.
  OptionTable(std::string command, std::string synopsis, std::string description);

  /// Starts a group of options with its own heading in --help.
  OptionTable& group(std::string title);

  /// Binds `--name PLACEHOLDER` to `field`, whose current value is the default. A bool is a flag
  /// and takes no value on the command line. An empty placeholder lists the choices: a|b|c. Numbers
  /// without a bound in their rule are limited to +-1e9.
  OptionTable& add(std::string name, Field field, std::string placeholder, std::string help,
                   OptionRule rule = {});

  /// The option, added before, that receives a word without a name, such as the input in
  /// `translate FILE`.
  OptionTable& positional(const std::string& name);

  /// Limits --help to these and the required options; --help-all shows all.
  OptionTable& basics(std::vector<std::string> names);

  /// Reads options from environment variables, too: PREFIX and the name in capitals, with
  /// underscores (DIETMT_SERVE_MAX_BODY). Values of lists are separated by spaces, a flag is true
  /// or false. The command line comes first, then the environment, then the config file.
  OptionTable& environment(std::string prefix);

  /// Adds an example command to the end of --help.
  OptionTable& example(std::string command);

  /// Parses the words after the subcommand and applies --quiet and --log-file. kDone: help, the
  /// version or the configuration was printed to stdout. Throws ConfigError for unknown names and
  /// missing or malformed values.
  Outcome parse(const std::vector<std::string>& arguments);

  /// Throws ConfigError listing every option that breaks its rule and the command's own `problems`,
  /// except those that begin with an option already listed.
  void check(const std::vector<std::string>& problems = {}) const;

  /// False if the option breaks its rule, which check() reports.
  bool allows(const std::string& name) const;

  /// True if the option was given on the command line or in the config file.
  bool given(const std::string& name) const;

  /// True if it was given with a value other than its default.
  bool changed(const std::string& name) const;

  /// All options with their current values as text, without unset std::optional ones.
  std::vector<std::pair<std::string, std::string>> resolved() const;

  /// All options, or only the required and basic ones.
  std::string help(bool all) const;

  /// The command and all its options with types, defaults and rules, as JSON.
  std::string describe() const;

 private:
  struct Option {
    std::string name;
    Field field;
    std::string placeholder;
    std::string help;
    std::string group = {};
    OptionRule rule = {};
    std::vector<std::string> defaults = {};  // values() when added
    std::string typed = {};                  // as the user wrote it; empty if not given
    bool is_positional = false;

    bool is_flag() const;
    bool is_list() const;
    OptionShape shape() const;
    /// How messages name it.
    std::string shown() const { return typed.empty() ? "--" + name : typed; }
    std::vector<std::string> values() const;
    /// "required; from 1 to 100; default: 4", as far as it applies and is worth saying.
    std::string facts() const;
    /// The message about a value that breaks the rule, or "".
    std::string problem() const;
    /// The message about a word that is not a number.
    std::string malformed(const std::string& word) const;
  };

  /// Values of the options that every command has.
  struct Shared {
    std::string config, log_file;
    bool dump_config = false, quiet = false, help = false, help_all = false, help_json = false,
         version = false;
  };
  /// Options without help text are hidden.
  static std::vector<Option> shared_options(Shared& values);

  struct Remarks {
    std::vector<std::string> problems, notices;
  };
  /// Sets those options that no earlier call has set.
  static void take(const std::vector<GivenOption>& given, const std::vector<Option*>& known,
                   Remarks& remarks);
  std::vector<GivenOption> given_on_line(const std::vector<std::string>& arguments,
                                         const std::vector<Option*>& known) const;
  std::vector<GivenOption> given_in_environment(const std::vector<Option*>& known) const;
  std::vector<GivenOption> given_in_file(const std::string& path,
                                         const std::vector<Option*>& known) const;

  void dump_config() const;
  bool is_basic(const Option& option) const;
  /// The message about an option that the command does not have.
  std::string unknown(const std::string& typed) const;

  std::string command_;
  std::string synopsis_;
  std::string description_;
  std::string group_ = "Options";
  std::string positional_;
  std::string environment_;  // prefix of variables; empty: none count
  std::vector<Option> options_;
  std::vector<std::string> basics_;
  std::vector<std::string> examples_;
};

/// "; did you mean WORD?" for the candidate closest to `word` by insertions, deletions,
/// replacements and swaps of neighbours (Damerau 1964), if it is close enough; else "". `prefix`,
/// such as "--", precedes the word.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates,
                       std::string_view prefix = "");

}  // namespace dietmt
