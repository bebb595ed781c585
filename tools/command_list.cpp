#include "tools/command_list.h"

#include <iostream>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/options.h"
#include "common/version.h"

namespace dietmt::tools {

std::string CommandList::help() const {
  std::string text = "usage: " + words + " COMMAND [options]\n\n" + description + "\n\nCommands:\n";
  for (const CommandEntry& command : commands)
    text +=
        "  " + command.name + std::string(12 - command.name.size(), ' ') + command.summary + '\n';
  return text + "\nExample:\n  " + example + "\n\nRun '" + words +
         " COMMAND --help' for the options of a command.\n";
}

std::string CommandList::describe() const {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const CommandEntry& command : commands)
    list.push_back({{"name", command.name}, {"summary", command.summary}});
  const nlohmann::ordered_json all{{"description", description},
                                   {"examples", nlohmann::ordered_json::array({example})},
                                   {"commands", std::move(list)}};
  return all.dump(1) + '\n';
}

std::string CommandList::unknown(const std::string& word) const {
  std::vector<std::string> names;
  for (const CommandEntry& command : commands) names.push_back(command.name);
  return "'" + word + "' is not a command of " + words + suggestion(word, names) + "; see " +
         words + " --help";
}

int CommandList::run(const std::vector<std::string>& arguments) const {
  if (arguments.empty()) throw ConfigError("a command is missing\n\n" + help());
  const std::string& word = arguments[0];
  if (word == "--help" || word == "-h" || word == "--help-json") {
    std::cout << (word == "--help-json" ? describe() : help());
    return 0;
  }
  if (word == "--version" || word == "-v") {
    std::cout << version_line() << '\n';
    return 0;
  }
  for (const CommandEntry& command : commands)
    if (word == command.name) return command.run({arguments.begin() + 1, arguments.end()});
  throw ConfigError(unknown(word));
}

}  // namespace dietmt::tools
