#include "common/child_process.h"

#include <gmock/gmock.h>

#include <csignal>
#include <stdexcept>

#include "common/error.h"
#include "common/interruption.h"

namespace dietmt {
namespace {

using testing::HasSubstr;

ChildProgram shell(const std::string& script) { return {.words = {"/bin/sh", "-c", script}}; }

void ignore(std::string_view /*piece*/) {}

struct Result {
  int code = 0;
  std::string output;
};

Result result_of(const ChildProgram& program) {
  Result result;
  result.code = run_child(program, [&](std::string_view piece) { result.output += piece; });
  return result;
}

TEST(ChildProcessTest, OutputAndExitCode) {
  const Result result = result_of(shell("echo one; echo two >&2; exit 3"));
  EXPECT_EQ(result.code, 3);
  EXPECT_EQ(result.output, "one\n");
}

TEST(ChildProcessTest, LongInputAndOutput) {
  const std::string input(5'000'000, 'x');
  ChildProgram program = shell("cat");
  program.input = input;
  EXPECT_EQ(result_of(program).output, input);
}

TEST(ChildProcessTest, InputIsAFileThatCanBeReadTwice) {
  ChildProgram program = shell("cat; cat /dev/stdin");
  program.input = "text";
  EXPECT_EQ(result_of(program).output, "texttext");
}

TEST(ChildProcessTest, ASignalIsANegativeCode) {
  EXPECT_EQ(result_of(shell("kill -TERM $$")).code, -SIGTERM);
}

TEST(ChildProcessTest, LimitsOnTimeAndMemory) {
  ChildProgram busy = shell("while :; do :; done");
  busy.most_time = std::chrono::seconds(1);
  EXPECT_LT(result_of(busy).code, 0);
  ChildProgram large = shell("head -c 300000000 /dev/zero | tail -c 300000000 | wc -c");
  EXPECT_EQ(result_of(large).output, "300000000\n");
  large.most_memory = 100'000'000;
  large.is_silent = true;
  EXPECT_NE(result_of(large).output, "300000000\n");
}

TEST(ChildProcessTest, AnInterruptionEndsIt) {
  struct TimeIsUp {};
  const Interruption interruption([] { throw TimeIsUp(); });
  EXPECT_THROW(run_child(shell("exec sleep 600"), ignore), TimeIsUp);
}

TEST(ChildProcessTest, AnExceptionOfTheReaderEndsIt) {
  const auto refuse = [](std::string_view) { throw std::runtime_error("enough"); };
  EXPECT_THROW(run_child(shell("yes"), refuse), std::runtime_error);
}

TEST(ChildProcessTest, AMissingProgramIsNamed) {
  try {
    run_child({.words = {"/no/such/program"}}, ignore);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("/no/such/program cannot be started"));
  }
}

TEST(ChildProcessTest, ProgramsOnThePath) {
  EXPECT_THAT(program_on_path("sh"), testing::EndsWith("/sh"));
  EXPECT_EQ(program_on_path("no-such-program"), "");
}

}  // namespace
}  // namespace dietmt
