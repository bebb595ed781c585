#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <iostream>

#include "common/error.h"
#include "common/logging.h"
#include "common/process.h"
#include "common/suggestion.h"
#include "kernels/cpu/instruction_sets.h"
#include "tools/commands.h"
#include "training/processes/process_place.h"

namespace dietmt::tools {
namespace {

struct Summary {
  const char* name;
  const char* summary;
};

constexpr Summary kCommands[] = {
    {"tokenizer", "train a subword model (sentencepiece)"},
    {"train", "train an encoder-decoder Transformer on parallel text"},
    {"translate", "translate text line by line"},
    {"distill", "translate training text for a student model"},
    {"score", "print log-probabilities of given translations"},
    {"evaluate", "score translations with BLEU, chrF and TER, and predictions for tasks"},
#ifdef DIETMT_SERVICE
    {"serve", "translate over HTTP, with a web page and batch jobs"},
#endif
    {"import", "convert a Hugging Face or Marian translation model"},
    {"export", "convert a model for CTranslate2 or Hugging Face"},
    {"quantize", "write a model with int8 or bf16 weights for fast decoding"},
    {"average", "average the weights of checkpoints"},
    {"bert", "pre-train, fine-tune, run, import and export BERT encoders"},
    {"inspect", "show a model's parameters, configuration, positions or attention"},
    {"shortlist", "make a lexical shortlist from parallel text"},
};

constexpr int kFailed = 1;
constexpr int kUsage = 2;

void print_usage(std::ostream& out) {
  out << "usage: dietmt COMMAND [options]\n\nMachine translation with pluggable position "
         "encodings.\n\nCommands:\n";
  for (const Summary& command : kCommands) {
    out << "  " << command.name << std::string(12 - std::string(command.name).size(), ' ')
        << command.summary << '\n';
  }
  out << "\nExample:\n  echo 'Good morning.' | dietmt translate --model model\n";
  out << "\nRun 'dietmt COMMAND --help' for the options of a command, 'dietmt --version' for the "
         "version.\n";
}

// Without the time of the log: the command did not start.
void usage_error(const std::string& command, const std::string& message) {
  std::cerr << "error: dietmt " << command << ": " << message << std::endl;
}

int guarded(const std::string& name, const Command& command,
            const std::vector<std::string>& arguments) {
  const auto complain = [&](const std::string& message) {
    spdlog::error("dietmt {}: {}", name, message);
  };
  try {
    kernels::chosen_instruction_set();  // reports a wrong DIETMT_INSTRUCTION_SET before any work
    const int code = command(arguments);
    std::cout.flush();
    return code;
  } catch (const ConfigError& error) {
    usage_error(name, error.what());
    return kUsage;
  } catch (const PeerError& error) {
    if (std::getenv(training::kLaunchedVariable) == nullptr) complain(error.what());
    // Threads of the collectives may wait forever for the lost process.
    std::_Exit(kResumable);
  } catch (const FirstProcessFailed&) {
    return stop_requested() ? kResumable : kFailed;
  } catch (const Stopped& stopped) {
    spdlog::info("dietmt {}: {}; run the same command again", name, stopped.what());
    return kResumable;
  } catch (const std::bad_alloc&) {
    complain("out of memory");
  } catch (const std::exception& error) {
    complain(error.what());
  }
  return kFailed;
}

}  // namespace

int run_program(int argc, char** argv, const std::function<Command(const std::string&)>& find) {
  init_logging();
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty()) {
    print_usage(std::cerr);
    return kUsage;
  }
  if (words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    print_usage(std::cout);
    return 0;
  }
  if (words[0] == "--version") {
    std::cout << "dietmt " << DIETMT_VERSION << " (" << DIETMT_BUILT_WITH << ")\n";
    return 0;
  }
  for (const Summary& command : kCommands) {
    if (words[0] == command.name)
      return guarded(words[0], find(words[0]), {words.begin() + 1, words.end()});
  }
  std::vector<std::string> names;
  for (const Summary& command : kCommands) names.emplace_back(command.name);
  std::cerr << "error: '" << words[0] << "' is not a command of dietmt"
            << suggestion(words[0], names) << "; see dietmt --help" << std::endl;
  return kUsage;
}

}  // namespace dietmt::tools
