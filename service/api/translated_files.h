// Translated files waiting for their download, in memory.
#pragma once

#include <chrono>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

namespace dietmt::service {

struct TranslatedFile {
  std::string bytes;
  std::string type;  // of the content
};

/// Thread-safe. Keeps files for half an hour, but at most 64 MB: the oldest go first.
class TranslatedFiles {
 public:
  using Clock = std::chrono::steady_clock;

  /// Returns the file's name from now on, which cannot be guessed; it ends in `.extension`.
  std::string add(TranslatedFile file, const std::string& extension,
                  Clock::time_point now = Clock::now());

  std::optional<TranslatedFile> find(const std::string& name, Clock::time_point now = Clock::now());

 private:
  struct Entry {
    std::string name;
    Clock::time_point added;
    TranslatedFile file;
  };

  void remove_old(Clock::time_point now);

  std::mutex mutex_;  // guards the members below
  std::deque<Entry> entries_;
  size_t bytes_ = 0;
};

}  // namespace dietmt::service
