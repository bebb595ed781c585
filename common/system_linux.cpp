#include <fcntl.h>
#include <linux/close_range.h>
#include <netinet/tcp.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>

#include "common/process.h"
#include "common/system.h"

namespace dietmt {

const int kKeepaliveIdle = TCP_KEEPIDLE;

FileDescriptor open_unnamed(const std::filesystem::path& directory, mode_t permissions) {
  return FileDescriptor(::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, permissions));
}

bool link_unnamed(int file, const std::filesystem::path& name) {
  return ::linkat(AT_FDCWD, path_of_open_file(file).c_str(), AT_FDCWD, name.c_str(),
                  AT_SYMLINK_FOLLOW) == 0;
}

std::string path_of_open_file(int file) { return "/proc/self/fd/" + std::to_string(file); }

FileDescriptor open_memory_file() { return FileDescriptor(::memfd_create("input", MFD_CLOEXEC)); }

int reserve_disk_space(int file, uint64_t bytes) {
  return ::posix_fallocate(file, 0, static_cast<off_t>(bytes));
}

void stop_read_ahead(int file) { ::posix_fadvise(file, 0, 0, POSIX_FADV_RANDOM); }

bool open_pipe(int (&ends)[2]) { return ::pipe2(ends, O_CLOEXEC) == 0; }

FileDescriptor open_socket(int family, int kind) {
  return FileDescriptor(::socket(family, kind | SOCK_CLOEXEC, 0));
}

int accept_connection(int listener, sockaddr* peer, socklen_t* size, Waiting waiting) {
  const int flags = SOCK_CLOEXEC | (waiting == Waiting::kNever ? SOCK_NONBLOCK : 0);
  return ::accept4(listener, peer, size, flags);
}

void end_with_parent() { ::prctl(PR_SET_PDEATHSIG, SIGTERM); }

void close_on_exec_from(int first) { ::syscall(SYS_close_range, first, ~0U, CLOSE_RANGE_CLOEXEC); }

int take_signal(const sigset_t& signals, std::chrono::milliseconds patience) {
  timespec limit{};
  limit.tv_sec = patience.count() / 1000;
  limit.tv_nsec = (patience.count() % 1000) * 1'000'000;
  return std::max(::sigtimedwait(&signals, nullptr, &limit), 0);
}

struct Semaphore::Native {
  sem_t count;
};
Semaphore::Semaphore() : native_(std::make_unique<Native>()) { ::sem_init(&native_->count, 0, 0); }
Semaphore::~Semaphore() { ::sem_destroy(&native_->count); }
void Semaphore::release() { ::sem_post(&native_->count); }
void Semaphore::acquire() {
  while (::sem_wait(&native_->count) != 0 && errno == EINTR) {
  }
}

void* grow_mapping(void* data, size_t bytes, size_t wanted) {
  void* const grown = data == nullptr ? ::mmap(nullptr, wanted, PROT_READ | PROT_WRITE,
                                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                                      : ::mremap(data, bytes, wanted, MREMAP_MAYMOVE);
  if (grown != MAP_FAILED)
    ::madvise(grown, wanted, MADV_HUGEPAGE);  // advice, which the system may ignore
  return grown;
}

// Linux keeps a nice value per thread, which new threads inherit.
void give_way(int amount) {
  if (amount == 0) return;
  const auto thread = static_cast<id_t>(::gettid());
  const int wanted = ::getpriority(PRIO_PROCESS, static_cast<id_t>(::getpid())) + amount;
  if (::getpriority(PRIO_PROCESS, thread) < wanted) ::setpriority(PRIO_PROCESS, thread, wanted);
}

std::filesystem::path program_path() {
  const auto running = std::filesystem::read_symlink("/proc/self/exe");
  const bool is_loader = running.filename().string().starts_with("ld-linux-");
  return is_loader ? std::filesystem::absolute(program_invocation_name) : running;
}

}  // namespace dietmt
