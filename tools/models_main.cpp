// dietmt-models: what needs libcurl, which with the libraries that it loads would make every other
// command start later: `models`, and `distill` with a chat model as teacher.
#include "common/error.h"
#include "tools/commands.h"

int main(int argc, char** argv) {
  using namespace dietmt::tools;
  return run_program(argc, argv, [](const std::string& name) -> Command {
    if (name == "models") return run_models;
    if (name == "distill") return run_distill;
    throw dietmt::ConfigError("dietmt-models runs only 'models' and 'distill': call dietmt");
  });
}
