#include "service/api/translated_files.h"

#include <openssl/rand.h>

#include <array>
#include <utility>

#include "common/error.h"

namespace dietmt::service {
namespace {

constexpr std::chrono::minutes kKept{30};
constexpr size_t kMaxBytes = size_t{64} << 20;

std::string random_name() {
  std::array<unsigned char, 16> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1)
    throw Error("the system provides no random numbers");
  constexpr const char* kDigits = "0123456789abcdef";
  std::string name;
  for (const unsigned char byte : bytes) {
    name += kDigits[byte >> 4];
    name += kDigits[byte & 15];
  }
  return name;
}

}  // namespace

std::string TranslatedFiles::add(TranslatedFile file, const std::string& extension,
                                 Clock::time_point now) {
  std::string name = random_name() + "." + extension;
  const std::lock_guard lock(mutex_);
  bytes_ += file.bytes.size();
  entries_.push_back({name, now, std::move(file)});
  remove_old(now);
  return name;
}

std::optional<TranslatedFile> TranslatedFiles::find(const std::string& name,
                                                    Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  remove_old(now);
  for (const Entry& entry : entries_)
    if (entry.name == name) return entry.file;
  return std::nullopt;
}

// Always keeps the newest.
void TranslatedFiles::remove_old(Clock::time_point now) {
  while (!entries_.empty() &&
         (now - entries_.front().added >= kKept || (bytes_ > kMaxBytes && entries_.size() > 1))) {
    bytes_ -= entries_.front().file.bytes.size();
    entries_.pop_front();
  }
}

}  // namespace dietmt::service
