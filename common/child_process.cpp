#include "common/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "common/error.h"
#include "common/files.h"
#include "common/interruption.h"
#include "common/system.h"

namespace dietmt {
namespace {

constexpr int kNotStarted = 127;  // as in the shell

[[noreturn]] void fail(const std::string& program) {
  throw Error(program + " cannot be started: " + std::strerror(errno));
}

// A file without a name, which a program can read from any place.
FileDescriptor file_of(std::string_view content, const std::string& program) {
  FileDescriptor file = open_memory_file();
  if (!file.valid()) fail(program);
  while (!content.empty()) {
    const ssize_t count = ::write(file.number(), content.data(), content.size());
    if (count < 0 && errno != EINTR) fail(program);
    if (count > 0) content.remove_prefix(static_cast<size_t>(count));
  }
  if (::lseek(file.number(), 0, SEEK_SET) != 0) fail(program);
  return file;
}

struct Streams {
  int input = -1;  // -1: as they are
  int output = -1;
  int errors = -1;
};

// In the child: only functions that are safe after the fork of a process with threads.
[[noreturn]] void become(const ChildProgram& program, const std::vector<char*>& words,
                         const Streams& streams, pid_t parent) {
  end_with_parent();
  if (::getppid() != parent) ::_exit(kNotStarted);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (streams.input >= 0) ::dup2(streams.input, STDIN_FILENO);
  ::dup2(streams.output, STDOUT_FILENO);
  if (streams.errors >= 0) ::dup2(streams.errors, STDERR_FILENO);
  close_on_exec_from(STDERR_FILENO + 1);
  if (program.most_memory) {
    const rlimit limit = {*program.most_memory, *program.most_memory};
    ::setrlimit(RLIMIT_AS, &limit);
  }
  if (program.most_time) {
    const auto seconds = static_cast<rlim_t>(program.most_time->count());
    const rlimit limit = {seconds, seconds};
    ::setrlimit(RLIMIT_CPU, &limit);
  }
  ::execv(words[0], words.data());
  ::_exit(kNotStarted);
}

// A process that is over when this object is.
class Child {
 public:
  explicit Child(pid_t number) : number_(number) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (has_ended_) return;
    ::kill(number_, SIGKILL);
    wait();
  }

  int wait() {
    int status = 0;
    while (::waitpid(number_, &status, 0) < 0 && errno == EINTR) {
    }
    has_ended_ = true;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

 private:
  const pid_t number_;
  bool has_ended_ = false;
};

void read_pieces(int from, const std::function<void(std::string_view)>& output) {
  constexpr int kMilliseconds = 20;  // between two checks
  std::string block(1 << 16, '\0');
  while (true) {
    check_interruption();
    pollfd waited = {.fd = from, .events = POLLIN, .revents = 0};
    if (::poll(&waited, 1, kMilliseconds) <= 0) continue;
    const ssize_t count = ::read(from, block.data(), block.size());
    if (count == 0 || (count < 0 && errno != EINTR)) return;
    if (count > 0) output(std::string_view(block).substr(0, static_cast<size_t>(count)));
  }
}

}  // namespace

std::string program_on_path(const std::string& name) {
  const char* const variable = std::getenv("PATH");
  std::istringstream directories(variable == nullptr ? "" : variable);
  for (std::string directory; std::getline(directories, directory, ':');) {
    const std::string path = directory + "/" + name;
    if (!directory.empty() && ::access(path.c_str(), X_OK) == 0) return path;
  }
  return "";
}

int run_child(const ChildProgram& program, const std::function<void(std::string_view)>& output) {
  const std::string& name = program.words.at(0);
  std::vector<std::string> words = program.words;
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  int ends[2];
  if (!open_pipe(ends)) fail(name);
  const FileDescriptor from_child(ends[0]);
  FileDescriptor to_parent(ends[1]);
  FileDescriptor input;
  if (program.input) input = file_of(*program.input, name);
  FileDescriptor nowhere;
  if (program.is_silent) nowhere = FileDescriptor(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  const pid_t parent = ::getpid();
  const pid_t number = ::fork();
  if (number < 0) fail(name);
  if (number == 0)
    become(program, pointers, {input.number(), to_parent.number(), nowhere.number()}, parent);
  Child child(number);
  to_parent = FileDescriptor();
  read_pieces(from_child.number(), output);
  const int code = child.wait();
  if (code == kNotStarted) throw Error(name + " cannot be started");
  return code;
}

}  // namespace dietmt
