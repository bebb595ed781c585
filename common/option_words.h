// Splits the words of a command line into options and their values.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace dietmt {

/// An option that a command has.
struct OptionShape {
  enum class Values { kFlag, kOne, kSeveral };
  std::string name;
  Values values;
  std::string placeholder = {};
};

/// An option that was given, with its values. A flag has the value true or false.
struct GivenOption {
  std::string name;   ///< empty for a word that belongs to no option
  std::string typed;  ///< the name as the user wrote it: "--beam", "-b"
  std::vector<std::string> values;
};

/// The letter of an option's short form, the same in all commands; '\0' if it has none.
char option_letter(std::string_view name);

/// Reads `--name value`, `--name=value`, `-l value`, `-l=value`, `-l5`, `--no-flag` and, after
/// `--`, plain words. An option with several values takes all words up to the next option. Throws
/// ConfigError for a missing value and, with the text of unknown(typed), for an unknown name.
std::vector<GivenOption> given_options(const std::vector<std::string>& arguments,
                                       const std::vector<OptionShape>& shapes,
                                       const std::function<std::string(std::string)>& unknown);

/// Parses true, yes, on, 1 or false, no, off, 0. Returns false for any other word.
bool read_word(const std::string& word, bool& value);

}  // namespace dietmt
