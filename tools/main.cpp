// dietmt: one program, one subcommand per task. It starts without LibTorch and leaves commands that
// need it to dietmt-torch.
#include <map>

#include "tools/commands.h"
#include "tools/full_program.h"
#include "tools/program.h"

int main(int argc, char** argv) {
  using namespace dietmt::tools;
  const std::map<std::string, Command> own = {
      {"distill", run_distill},     {"evaluate", run_evaluate},   {"sample", run_sample},
      {"shortlist", run_shortlist}, {"tokenizer", run_tokenizer}, {"translate", run_translate},
  };
  return run_program(argc, argv, [&](const std::string& name) -> Command {
    const auto found = own.find(name);
    if (found != own.end()) return found->second;
    return [name](const std::vector<std::string>& arguments) -> int {
      run_full_program(name, arguments);
    };
  });
}
