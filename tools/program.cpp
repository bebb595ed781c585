#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iostream>
#include <string_view>
#include <utility>

#include "common/child_process.h"
#include "common/error.h"
#include "common/exit_kinds.h"
#include "common/logging.h"
#include "common/process.h"
#include "common/version.h"
#include "kernels/cpu/instruction_sets.h"
#include "tools/command_list.h"
#include "tools/commands.h"

namespace dietmt::tools {
namespace {

const CommandList& command_list() {
  static const CommandList list{
      "dietmt",
      "Machine translation with pluggable position encodings.",
      {{"clean", "remove bad pairs from parallel text, with a report"},
       {"tokenizer", "train a subword model (sentencepiece)"},
       {"train", "train an encoder-decoder Transformer on parallel text"},
       {"translate", "translate text line by line"},
       {"distill", "translate training text for a student model"},
       {"score", "print log-probabilities of given translations"},
       {"rerank", "choose among the translations of an n-best list with further models"},
       {"evaluate",
        "score translations with BLEU, chrF, TER, COMET or MetricX, and predictions for tasks"},
#ifdef DIETMT_SERVICE
       {"serve", "translate over HTTP, with a web page and batch jobs"},
#endif
#ifdef DIETMT_MODELS
       {"models", "list, fetch and remove models of other publishers"},
#endif
       {"import", "convert a Hugging Face, Marian or COMET model"},
       {"export", "convert a model for CTranslate2, Hugging Face or Marian"},
       {"quantize", "write a model with int8 or bf16 weights for fast decoding"},
       {"average", "average the weights of checkpoints"},
       {"merge", "merge an adapter into the model that it was trained from"},
       {"vocabulary",
        "add pieces to a model's vocabulary, or remove those that text does not need"},
       {"bert", "pre-train, fine-tune, run, import and export BERT encoders"},
       {"inspect", "show a model's parameters, configuration, positions or attention"},
       {"shortlist", "make a lexical shortlist from parallel text"},
       {"align", "align the words of parallel text"}},
      "echo 'Good morning.' | dietmt translate --model model"};
  return list;
}

constexpr int kFailed = 1;
constexpr int kUsage = 2;

// The first file that is opened would take the number of a closed standard stream, and the log or
// the results would end up in it. Reading such input and writing such output stay errors.
void occupy_closed_streams() {
  constexpr std::pair<int, int> kStreams[] = {
      {STDIN_FILENO, O_WRONLY}, {STDOUT_FILENO, O_RDONLY}, {STDERR_FILENO, O_WRONLY}};
  for (const auto& [stream, mode] : kStreams)
    if (::fcntl(stream, F_GETFD) < 0 && ::open("/dev/null", mode) < 0) std::_Exit(kFailed);
}

std::string usage() { return command_list().help() + "'dietmt --version' prints the version.\n"; }

// The exit code, once the text is where it belongs: a full disk shows when it leaves the buffer.
int print_rest(int code) {
  std::cout.flush();
  if (std::cout) return code;
  log_fatal_error("standard output cannot be written");
  return kFailed;
}

int guarded(const std::string& name, const std::function<Command(const std::string&)>& find,
            const std::vector<std::string>& arguments) {
  const auto complain = [&](const std::string& message) {
    log_fatal_error("dietmt " + name + ": " + message);
  };
  try {
    kernels::chosen_instruction_set();  // reports a wrong DIETMT_INSTRUCTION_SET before any work
    return print_rest(find(name)(arguments));
  } catch (const ConfigError& error) {
    complain(error.what());
    return kUsage;
  } catch (const PeerError& error) {
    if (std::getenv(kLaunchedVariable) == nullptr) complain(error.what());
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

// OpenMP's waiting threads spin 300,000 times before they sleep, which takes the cores from other
// programs, and from the threads they wait for, for milliseconds. The library reads the variables
// when it is loaded; the user's own settings stay.
void shorten_waiting() {
  if (std::getenv("OMP_WAIT_POLICY") == nullptr) setenv("GOMP_SPINCOUNT", "10000", 0);
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// `advice` ends the error message.
[[noreturn]] void become(const std::string& name, const std::string& command,
                         const std::vector<std::string>& arguments, const std::string& advice) {
  const std::string program = program_directory() / name;
  std::vector<std::string> words = {program, command};
  words.insert(words.end(), arguments.begin(), arguments.end());
  ::execv(program.c_str(), pointers_to(words).data());
  throw Error(program + " cannot be run: " + std::strerror(errno) + "; " + advice);
}

// Another program reads the options again.
void require_readable_again(const std::vector<std::string>& arguments, const std::string& reason) {
  const std::string config = config_file(arguments);
  if (!config.empty() && !std::filesystem::is_regular_file(config))
    throw ConfigError("--config " + config + ": " + reason +
                      ", which reads the options again: put them into a regular file");
}

}  // namespace

std::string config_file(const std::vector<std::string>& arguments) {
  constexpr std::string_view kOption = "--config";
  std::string file;  // the last one counts
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word == kOption && i + 1 < arguments.size()) file = arguments[++i];
    if (word.starts_with("--config=")) file = word.substr(kOption.size() + 1);
  }
  return file;
}

int run_program(int argc, char** argv, const std::function<Command(const std::string&)>& find) {
  occupy_closed_streams();
  init_logging();
  std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() > 1 && words[0] == "help") {
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  if (words.empty()) {
    std::cerr << usage();
    return kUsage;
  }
  if (words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    std::cout << usage();
    return print_rest(0);
  }
  if (words[0] == "--help-json") {
    std::cout << command_list().describe();
    return print_rest(0);
  }
  if (words[0] == "--version" || words[0] == "-v") {
    std::cout << version_line() << '\n';
    return print_rest(0);
  }
  for (const CommandEntry& command : command_list().commands) {
    if (words[0] == command.name) return guarded(words[0], find, {words.begin() + 1, words.end()});
  }
#ifndef DIETMT_MODELS
  if (words[0] == "models") {
    log_fatal_error(
        "dietmt models: this dietmt was built without libcurl, which the command needs; the "
        "packages and archives of a release have it");
    return kFailed;
  }
#endif
  log_fatal_error(command_list().unknown(words[0]));
  return kUsage;
}

void run_with_libtorch(const std::string& command, const std::vector<std::string>& arguments) {
  shorten_waiting();
  become("dietmt-torch", command, arguments, "this command needs it: install dietmt-train");
}

void continue_with_libtorch(const std::string& command, const std::vector<std::string>& arguments) {
  require_readable_again(arguments, "this model needs dietmt-torch");
  run_with_libtorch(command, arguments);
}

void continue_with_requests(const std::string& command, const std::vector<std::string>& arguments) {
#ifndef DIETMT_MODELS
  throw ConfigError("this dietmt was built without libcurl, which requests over HTTP need");
#endif
  require_readable_again(arguments, "requests need dietmt-models");
  become("dietmt-models", command, arguments, "put it into the directory of dietmt");
}

std::filesystem::path program_directory() { return program_path().parent_path(); }

std::string run_dietmt(const std::vector<std::string>& words) {
  std::vector<std::string> all = {program_directory() / "dietmt"};
  all.insert(all.end(), words.begin(), words.end());
  std::string output;
  const int code = run_child({.words = all}, [&](std::string_view piece) { output += piece; });
  if (code == 0) return output;
  throw Error(fmt::format("'dietmt {}' {} {}", fmt::join(words, " "),
                          code > 0 ? "failed with exit code" : "was ended by signal",
                          std::abs(code)));
}

void run_own_program(const std::string& command, const std::vector<std::string>& arguments) {
  become("dietmt-" + command, command, arguments, "put it into the directory of dietmt");
}

}  // namespace dietmt::tools
