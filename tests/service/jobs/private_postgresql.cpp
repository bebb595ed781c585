#include "tests/service/jobs/private_postgresql.h"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "service/jobs/sql_database.h"

namespace dietmt::service {
namespace fs = std::filesystem;
namespace {

// Debian's newest version, or empty.
fs::path find_programs() {
  std::error_code ignored;
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::directory_iterator("/usr/lib/postgresql", ignored))
    if (fs::exists(entry.path() / "bin" / "initdb")) found.push_back(entry.path() / "bin");
  return found.empty() ? fs::path() : *std::max_element(found.begin(), found.end());
}

// PostgreSQL refuses to run as root.
const passwd* unprivileged_user() {
  if (::getuid() != 0) return nullptr;
  const passwd* user = ::getpwnam("postgres");
  return user != nullptr ? user : ::getpwnam("nobody");
}

// Starts a program that ends together with this one.
pid_t spawn(std::vector<std::string> words, const fs::path& log) {
  const passwd* user = unprivileged_user();
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child != 0) return child;
  if (user != nullptr) {
    if (::setgroups(0, nullptr) != 0 || ::setgid(user->pw_gid) != 0 || ::setuid(user->pw_uid) != 0)
      ::_exit(127);
  }
  ::prctl(PR_SET_PDEATHSIG, SIGQUIT);
  if (::getppid() != parent) ::_exit(127);
  const int output = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execv(arguments[0], arguments.data());
  ::_exit(127);
}

}  // namespace

PrivatePostgresql& PrivatePostgresql::instance() {
  static PrivatePostgresql server;
  return server;
}

PrivatePostgresql::PrivatePostgresql() {
#ifndef DIETMT_POSTGRESQL
  problem_ = "dietmt was built without PostgreSQL";
  return;
#endif
  const fs::path programs = find_programs();
  if (programs.empty()) {
    problem_ = "PostgreSQL's server is not installed (/usr/lib/postgresql/*/bin/initdb)";
    return;
  }
  std::string name = (fs::temp_directory_path() / "dietmt_pg.XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    problem_ = name + ": cannot be made";
    return;
  }
  folder_ = name;
  if (const passwd* user = unprivileged_user())
    if (::chown(name.c_str(), user->pw_uid, user->pw_gid) != 0) problem_ = name + ": chown failed";
  if (problem_.empty()) start(programs);
}

PrivatePostgresql::~PrivatePostgresql() {
  if (server_ > 0) {
    ::kill(server_, SIGQUIT);
    ::waitpid(server_, nullptr, 0);
  }
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

void PrivatePostgresql::start(const fs::path& programs) {
  const std::string data = (folder_ / "data").string();
  const fs::path log = folder_ / "log";
  int status = 0;
  const pid_t setup = spawn({programs / "initdb", "-D", data, "-U", "dietmt", "-A", "trust", "-E",
                             "UTF8", "--locale=C", "--no-sync"},
                            log);
  if (::waitpid(setup, &status, 0) < 0 || status != 0) {
    problem_ = "initdb failed";
    return;
  }
  server_ = spawn({programs / "postgres", "-D", data, "-k", folder_.string(), "-c",
                   "listen_addresses=", "-c", "fsync=off"},
                  log);
  for (int i = 0; i < 300; ++i) {
    try {
      open_postgresql(uri("postgres"))->execute("SELECT 1");
      problem_.clear();
      return;
    } catch (const DatabaseUnavailableError& error) {
      problem_ = error.what();
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }
}

std::string PrivatePostgresql::uri(const std::string& database) const {
  return "postgresql://dietmt@/" + database + "?host=" + folder_.string();
}

std::string PrivatePostgresql::new_database() {
  const std::string name = "test" + std::to_string(++databases_);
  open_postgresql(uri("postgres"))->execute("CREATE DATABASE " + name);
  return uri(name);
}

}  // namespace dietmt::service
