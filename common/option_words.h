// The words of a command line as options and their values.
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
  std::string name;   ///< empty: a word that belongs to no option
  std::string typed;  ///< the name as the user wrote it: "--beam", "-b"
  std::vector<std::string> values;
};

/// The letter of the short form of an option in every command that has the option; '\0': none.
char option_letter(std::string_view name);

/// Reads `--name value`, `--name=value`, `-l value`, `-l=value`, `-l5`, `--no-flag` and, after
/// `--`, words that belong to no option. An option of several values takes all words up to the next
/// option. Throws ConfigError for a missing value, and with the text of unknown(typed) for an
/// unknown name.
std::vector<GivenOption> given_options(const std::vector<std::string>& arguments,
                                       const std::vector<OptionShape>& shapes,
                                       const std::function<std::string(std::string)>& unknown);

/// Reads true, yes, on, 1 or false, no, off, 0; returns whether the word is one of them.
bool read_word(const std::string& word, bool& value);

}  // namespace dietmt
