// dietmt-clean: the command `clean`. The libraries that identify languages and read YAML would make
// every other command start later.
#include "common/error.h"
#include "tools/commands.h"

int main(int argc, char** argv) {
  using namespace dietmt::tools;
  return run_program(argc, argv, [](const std::string& name) -> Command {
    if (name == "clean") return run_clean;
    throw dietmt::ConfigError("dietmt-clean runs only 'clean': call dietmt");
  });
}
