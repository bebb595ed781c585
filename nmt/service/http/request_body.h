// The body of a request that has been read before its handler runs: in memory while it is small,
// else in a file without a name.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "nmt/service/http/file_descriptor.h"

namespace dietmt::service {

/// What all bodies together may use.
struct BodyBudget {
  uint64_t body_memory = 0;  // of one body
  uint64_t all_memory = 0;
  uint64_t all_disk = 0;
  std::filesystem::path directory = {};

  std::atomic<uint64_t> memory_used = 0;
  std::atomic<uint64_t> disk_used = 0;
};

class RequestBody {
 public:
  /// `budget` outlives the body.
  explicit RequestBody(BodyBudget& budget) : budget_(budget) {}
  ~RequestBody();
  RequestBody(const RequestBody&) = delete;
  RequestBody& operator=(const RequestBody&) = delete;

  /// Throws RequestFault (503) if the disk, or the budget for it, is used up.
  void append(std::string_view bytes);

  uint64_t size() const { return size_; }
  bool in_file() const { return file_.valid(); }

  /// Copies up to `count` bytes from `offset` on; fewer at the end. Throws Error if the file cannot
  /// be read.
  size_t read(uint64_t offset, char* to, size_t count) const;

 private:
  void move_to_file();
  void write_to_file(std::string_view bytes);

  BodyBudget& budget_;
  std::string memory_;
  FileDescriptor file_;
  uint64_t size_ = 0;
};

}  // namespace dietmt::service
