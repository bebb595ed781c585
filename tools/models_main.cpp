// dietmt-models: the command `models`. libcurl and the libraries that it loads would make every
// other command start later.
#include "common/error.h"
#include "tools/commands.h"

int main(int argc, char** argv) {
  using namespace dietmt::tools;
  return run_program(argc, argv, [](const std::string& name) -> Command {
    if (name == "models") return run_models;
    throw dietmt::ConfigError("dietmt-models runs only 'models': call dietmt");
  });
}
