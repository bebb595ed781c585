// dietmt: one program, one subcommand per task.
#include <spdlog/spdlog.h>
#include <torch/torch.h>

#include <csignal>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "common/error.h"
#include "common/logging.h"
#include "tools/commands.h"

namespace {

struct Command {
  const char* name;
  const char* summary;
  int (*run)(const std::vector<std::string>&);
};

constexpr Command kCommands[] = {
    {"tokenizer", "train a sentencepiece model", dietmt::tools::run_tokenizer},
    {"train", "train an encoder-decoder Transformer on parallel text", dietmt::tools::run_train},
    {"translate", "translate lines of text", dietmt::tools::run_translate},
    {"score", "log-probabilities of given translations", dietmt::tools::run_score},
    {"evaluate", "BLEU, chrF and TER of translations", dietmt::tools::run_evaluate},
    {"serve", "translate over HTTP, with a page and batch jobs", dietmt::tools::run_serve},
    {"import", "make a model of one of Hugging Face's or Marian's", dietmt::tools::run_import},
    {"export", "write a model for CTranslate2 or Hugging Face", dietmt::tools::run_export},
    {"quantize", "write a model of a quarter of the size, for translating alone",
     dietmt::tools::run_quantize},
    {"average", "average the weights of checkpoints", dietmt::tools::run_average},
    {"bert", "pre-train, fine-tune, use and exchange encoders", dietmt::tools::run_bert},
    {"inspect", "look into a model or a configuration", dietmt::tools::run_inspect},
    {"shortlist", "lexical shortlist of a model's output, from parallel text",
     dietmt::tools::run_shortlist},
    {"sample", "generate the English-German or English-Czech sample corpus",
     dietmt::tools::run_sample},
};

constexpr int kFailed = 1;
constexpr int kUsage = 2;

void print_usage(std::ostream& out) {
  out << "usage: dietmt COMMAND [options]\n\nMachine translation with pluggable position "
         "encodings.\n\nCommands:\n";
  for (const Command& command : kCommands) {
    out << "  " << command.name << std::string(12 - std::string(command.name).size(), ' ')
        << command.summary << '\n';
  }
  out << "\n'dietmt COMMAND --help' describes a command; 'dietmt --version' prints the version.\n";
}

// Runs a subcommand; every failure ends in one message without a backtrace.
int guarded(const Command& command, const std::vector<std::string>& arguments) {
  const auto complain = [&](const std::string& message) {
    spdlog::error("dietmt {}: {}", command.name, message);
  };
  try {
    const int code = command.run(arguments);
    std::cout.flush();
    return code;
  } catch (const dietmt::ConfigError& error) {
    complain(error.what());
    return kUsage;
  } catch (const c10::Error& error) {
    complain(error.what_without_backtrace());
  } catch (const std::bad_alloc&) {
    complain("out of memory");
  } catch (const std::exception& error) {
    complain(error.what());
  }
  return kFailed;
}

}  // namespace

int main(int argc, char** argv) {
  dietmt::init_logging();
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
    std::cout << "dietmt " << DIETMT_VERSION << " (LibTorch " << TORCH_VERSION << ")\n";
    return 0;
  }
  for (const Command& command : kCommands) {
    if (words[0] == command.name) return guarded(command, {words.begin() + 1, words.end()});
  }
  spdlog::error("'{}' is not a command; see dietmt --help", words[0]);
  return kUsage;
}
