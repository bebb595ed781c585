// dietmt: one program, one subcommand per task. It starts without LibTorch and replaces itself with
// dietmt-torch for commands and models that need LibTorch.
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>

#include "common/error.h"
#include "nmt/engine/stored_weights.h"
#include "nmt/translation/loaded_decoder.h"
#include "tools/commands.h"
#include "tools/decoding_options.h"

namespace dietmt::tools {
namespace {

/// OpenMP's waiting threads spin 300,000 times before they sleep, which takes the cores from other
/// programs, and from the threads they wait for, for milliseconds. The library reads the variables
/// when it is loaded; the user's own settings stay.
void shorten_waiting() {
  if (std::getenv("OMP_WAIT_POLICY") == nullptr) setenv("GOMP_SPINCOUNT", "10000", 0);
}

/// Replaces this process with `dietmt-torch` from the same directory, so that signals, files and
/// the exit code are those of one program.
[[noreturn]] void run_full_program(const std::string& command,
                                   const std::vector<std::string>& arguments) {
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
  const std::string program = self.parent_path() / "dietmt-torch";
  std::vector<std::string> words = {program, command};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  shorten_waiting();
  ::execv(program.c_str(), pointers.data());
  throw Error("this needs the program with LibTorch (package dietmt-train), and " + program +
              " cannot be run: " + std::strerror(errno));
}

}  // namespace

DecoderSource decoder_source(const DecodingOptions& o, bool has_prefixes,
                             const std::string& command,
                             const std::vector<std::string>& arguments) {
  std::optional<nmt::LoadedDecoder> loaded;
  if (o.device == "cpu") {
    loaded = nmt::load_stored_decoder(nmt::model_directories(o.models),
                                      {.weights = nmt::parse_weight_choice(o.weights),
                                       .shortlist = o.shortlist,
                                       .search = o.search,
                                       .has_prefixes = has_prefixes});
  }
  if (!loaded) run_full_program(command, arguments);
  const auto shared = std::make_shared<nmt::LoadedDecoder>(std::move(*loaded));
  return [shared] { return std::move(*shared); };
}

}  // namespace dietmt::tools

int main(int argc, char** argv) {
  using namespace dietmt::tools;
  const std::map<std::string, Command> own = {
      {"distill", run_distill},     {"evaluate", run_evaluate},   {"shortlist", run_shortlist},
      {"tokenizer", run_tokenizer}, {"translate", run_translate},
  };
  return run_program(argc, argv, [&](const std::string& name) -> Command {
    const auto found = own.find(name);
    if (found != own.end()) return found->second;
    return [name](const std::vector<std::string>& arguments) -> int {
      run_full_program(name, arguments);
    };
  });
}
