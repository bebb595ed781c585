// Compiled by `.ci/run macos`, never run so far.
#include <dispatch/dispatch.h>
#include <fcntl.h>
#include <mach-o/dyld.h>
#include <netinet/tcp.h>
#include <pthread/qos.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "common/process.h"
#include "common/system.h"

namespace dietmt {
namespace {

bool close_on_exec(int file) { return ::fcntl(file, F_SETFD, FD_CLOEXEC) == 0; }

}  // namespace

const int kKeepaliveIdle = TCP_KEEPALIVE;

FileDescriptor open_unnamed(const std::filesystem::path&, mode_t) {
  errno = ENOTSUP;
  return {};
}

bool link_unnamed(int, const std::filesystem::path&) {
  errno = ENOTSUP;
  return false;
}

std::string path_of_open_file(int file) { return "/dev/fd/" + std::to_string(file); }

FileDescriptor open_memory_file() {
  std::error_code ignored;
  std::string name = (std::filesystem::temp_directory_path(ignored) / "dietmt-XXXXXX").string();
  FileDescriptor file(::mkostemp(name.data(), O_CLOEXEC));
  if (file.valid()) ::unlink(name.c_str());
  return file;
}

int reserve_disk_space(int file, uint64_t bytes) {
  const auto size = static_cast<off_t>(bytes);
  fstore_t space = {.fst_flags = F_ALLOCATEALL,
                    .fst_posmode = F_PEOFPOSMODE,
                    .fst_offset = 0,
                    .fst_length = size,
                    .fst_bytesalloc = 0};
  const bool has_space = ::fcntl(file, F_PREALLOCATE, &space) == 0 && ::ftruncate(file, size) == 0;
  return has_space ? 0 : errno;
}

void stop_read_ahead(int file) { ::fcntl(file, F_RDAHEAD, 0); }

bool open_pipe(int (&ends)[2]) {
  return ::pipe(ends) == 0 && close_on_exec(ends[0]) && close_on_exec(ends[1]);
}

FileDescriptor open_socket(int family, int kind) {
  FileDescriptor made(::socket(family, kind, 0));
  if (made.valid()) close_on_exec(made.number());
  return made;
}

int accept_connection(int listener, sockaddr* peer, socklen_t* size, Waiting waiting) {
  const int made = ::accept(listener, peer, size);
  if (made < 0) return made;
  close_on_exec(made);
  ::fcntl(made, F_SETFL, waiting == Waiting::kNever ? O_NONBLOCK : 0);
  return made;
}

void end_with_parent() {}

void close_on_exec_from(int first) {
  for (int file = first; file < ::getdtablesize(); ++file) close_on_exec(file);
}

int take_signal(const sigset_t& signals, std::chrono::milliseconds patience) {
  constexpr std::chrono::milliseconds kPause(20);
  const auto end = std::chrono::steady_clock::now() + patience;
  while (true) {
    sigset_t pending;
    ::sigpending(&pending);
    for (int signal = 1; signal < NSIG; ++signal) {
      int taken = 0;
      if (sigismember(&signals, signal) == 1 && sigismember(&pending, signal) == 1 &&
          ::sigwait(&signals, &taken) == 0)
        return taken;
    }
    if (std::chrono::steady_clock::now() >= end) return 0;
    std::this_thread::sleep_for(kPause);
  }
}

struct Semaphore::Native {
  dispatch_semaphore_t count = ::dispatch_semaphore_create(0);
};
Semaphore::Semaphore() : native_(std::make_unique<Native>()) {}
Semaphore::~Semaphore() { ::dispatch_release(native_->count); }
void Semaphore::release() { ::dispatch_semaphore_signal(native_->count); }
void Semaphore::acquire() { ::dispatch_semaphore_wait(native_->count, DISPATCH_TIME_FOREVER); }

void* grow_mapping(void* data, size_t bytes, size_t wanted) {
  void* const grown =
      ::mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == nullptr || grown == MAP_FAILED) return grown;
  std::memcpy(grown, data, bytes);
  ::munmap(data, bytes);
  return grown;
}

// There is no nice value per thread, and the quality of service is that of this thread only.
void give_way(int amount) {
  if (amount > 0) ::pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0);
}

std::filesystem::path program_path() {
  uint32_t size = 0;
  ::_NSGetExecutablePath(nullptr, &size);
  std::string path(size, '\0');
  ::_NSGetExecutablePath(path.data(), &size);
  return std::filesystem::canonical(path.c_str());
}

}  // namespace dietmt
