// A command that consists of commands: its help for people and for programs, and the choice.
#pragma once

#include <string>
#include <vector>

#include "tools/commands.h"

namespace dietmt::tools {

struct CommandEntry {
  std::string name;
  std::string summary;
  Command run = {};  // empty in dietmt's own list, since two programs run it differently
};

struct CommandList {
  std::string words;  // what comes before the name of a command: "dietmt", "dietmt bert"
  std::string description;
  std::vector<CommandEntry> commands;
  std::string example;

  /// For --help.
  std::string help() const;

  /// For --help-json. The names lead to the option tables, which have --help-json too.
  std::string describe() const;

  /// "'WORD' is not a command of dietmt; did you mean NAME?; see dietmt --help"
  std::string unknown(const std::string& word) const;

  /// Runs the command that the first argument names. Throws ConfigError if there is none.
  int run(const std::vector<std::string>& arguments) const;
};

}  // namespace dietmt::tools
