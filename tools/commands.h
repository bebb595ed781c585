// The subcommands, and the frame that both programs run them in.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace dietmt::tools {

/// A subcommand: parses its arguments, runs, and returns the exit code.
using Command = std::function<int(const std::vector<std::string>& arguments)>;

/// Runs the subcommand that argv names, which `find` returns by name, or prints help. Returns the
/// exit code; every failure ends in one message without a backtrace.
int run_program(int argc, char** argv, const std::function<Command(const std::string&)>& find);

int run_align(const std::vector<std::string>& arguments);
int run_average(const std::vector<std::string>& arguments);
int run_bert(const std::vector<std::string>& arguments);
int run_bert_embed(const std::vector<std::string>& arguments);
int run_bert_retrieve(const std::vector<std::string>& arguments);
int run_bert_export(const std::vector<std::string>& arguments);
int run_bert_finetune(const std::vector<std::string>& arguments);
int run_bert_import(const std::vector<std::string>& arguments);
int run_bert_predict(const std::vector<std::string>& arguments);
int run_bert_prepare(const std::vector<std::string>& arguments);
int run_bert_pretrain(const std::vector<std::string>& arguments);
int run_clean(const std::vector<std::string>& arguments);
int run_distill(const std::vector<std::string>& arguments);
int run_evaluate(const std::vector<std::string>& arguments);
int run_export(const std::vector<std::string>& arguments);
int run_import(const std::vector<std::string>& arguments);
int run_inspect(const std::vector<std::string>& arguments);
int run_inspect_compare(const std::vector<std::string>& arguments);
int run_inspect_correlate(const std::vector<std::string>& arguments);
int run_merge(const std::vector<std::string>& arguments);
int run_models(const std::vector<std::string>& arguments);
int run_quantize(const std::vector<std::string>& arguments);
int run_rerank(const std::vector<std::string>& arguments);
int run_score(const std::vector<std::string>& arguments);
int run_serve(const std::vector<std::string>& arguments);
int run_shortlist(const std::vector<std::string>& arguments);
int run_tokenizer(const std::vector<std::string>& arguments);
int run_train(const std::vector<std::string>& arguments);
int run_translate(const std::vector<std::string>& arguments);
int run_vocabulary(const std::vector<std::string>& arguments);

/// The directory of the running program, where the other programs are.
std::filesystem::path program_directory();

/// Runs `dietmt` with these words and returns what it writes to stdout. It ends when this process
/// does. Throws Error with the words and the exit code if it fails.
std::string run_dietmt(const std::vector<std::string>& words);

/// Replace this process with `dietmt-torch`, or with the program that has only this command
/// (`dietmt-serve`, `dietmt-models`, `dietmt-clean`), from the same directory, so that signals,
/// files and the exit code are those of one program. Throw Error if that program cannot be started.
[[noreturn]] void run_with_libtorch(const std::string& command,
                                    const std::vector<std::string>& arguments);
[[noreturn]] void run_own_program(const std::string& command,
                                  const std::vector<std::string>& arguments);

/// The value of --config; empty: none.
std::string config_file(const std::vector<std::string>& arguments);

/// run_with_libtorch() for a command that has parsed its options already. Throws ConfigError if
/// --config names a pipe, which cannot be read again.
[[noreturn]] void continue_with_libtorch(const std::string& command,
                                         const std::vector<std::string>& arguments);

/// Replaces the process with `dietmt-models` likewise, for commands that send requests.
[[noreturn]] void continue_with_requests(const std::string& command,
                                         const std::vector<std::string>& arguments);

}  // namespace dietmt::tools
