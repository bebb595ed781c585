// What Linux and macOS do in different ways: files without names, descriptors, processes and
// mapped memory. system_linux.cpp or system_macos.cpp is compiled.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "common/files.h"

namespace dietmt {

// ---- files

/// A file in a directory that has no name, for reading and writing. Not valid where there are none,
/// as on NFS and macOS; errno then says why.
FileDescriptor open_unnamed(const std::filesystem::path& directory, mode_t permissions);

/// Gives such a file a name. Returns false, with errno, if that failed.
bool link_unnamed(int file, const std::filesystem::path& name);

/// A path by which this process can open a file again that it holds open. On macOS both then share
/// the place where they read.
std::string path_of_open_file(int file);

/// A file for what another program reads, in memory if the system can; closed in programs that this
/// one starts. Not valid, with errno, if that failed.
FileDescriptor open_memory_file();

/// Makes a file so large, with its space on the disk. Returns 0 or the number of the error.
int reserve_disk_space(int file, uint64_t bytes);

/// Advises the system that a file will be read here and there.
void stop_read_ahead(int file);

// ---- descriptors

/// A pipe's two ends, closed in programs that this one starts. Returns false, with errno, if that
/// failed.
bool open_pipe(int (&ends)[2]);

/// As socket(); closed in programs that this one starts.
FileDescriptor open_socket(int family, int kind);

enum class Waiting { kBlocks, kNever };  // of reads and writes

/// As accept(); closed in programs that this one starts.
int accept_connection(int listener, sockaddr* peer, socklen_t* size, Waiting waiting);

/// TCP's option for seconds of silence before the first probe.
extern const int kKeepaliveIdle;

// ---- processes and threads

/// In a child between fork() and exec(): SIGTERM ends it when the parent ends, on Linux only.
void end_with_parent();

/// In such a child: the next program does not get descriptors from `first` on.
void close_on_exec_from(int first);

/// Takes one of these signals, which must be blocked, as soon as one is pending; 0 if none came in
/// this time.
int take_signal(const sigset_t& signals, std::chrono::milliseconds patience);

/// A count that release() raises and acquire() lowers, once it is above 0. Neither takes a lock
/// that a thread could hold while others wait for the processor.
class Semaphore {
 public:
  Semaphore();
  ~Semaphore();
  Semaphore(const Semaphore&) = delete;
  Semaphore& operator=(const Semaphore&) = delete;

  void release();
  void acquire();

 private:
  struct Native;
  std::unique_ptr<Native> native_;
};

// ---- memory

/// Grows a mapping of anonymous memory, which may move; null makes a new one. Asks for huge pages.
/// Returns MAP_FAILED, and changes nothing, if there is no memory.
void* grow_mapping(void* data, size_t bytes, size_t wanted);

}  // namespace dietmt
