// Translations of texts that clients have asked for before. When it is full, those that nobody has
// asked for the longest go first.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "service/api/text_translator.h"

namespace dietmt::service {

struct CacheCounters {
  int64_t hits = 0;
  int64_t misses = 0;
  int64_t evicted = 0;
  int64_t texts = 0;  // now
  int64_t bytes = 0;  // now
};

/// Thread-safe.
class TranslationCache {
 public:
  /// `is_per_client`: clients do not get each other's translations.
  TranslationCache(int64_t bytes, bool is_per_client)
      : most_bytes_(bytes), is_per_client_(is_per_client) {}

  /// A digest of what a translation depends on besides its text: the loaded models and the options.
  /// Empty for translations that are not kept, such as samples.
  std::string prefix(const ServedPath& models, const TextOptions& options,
                     const std::string& client) const;

  /// Null if there is none. `prefix`: from prefix(), not empty.
  std::shared_ptr<const TranslatedText> find(const std::string& prefix, const std::string& text);

  void add(const std::string& prefix, const std::string& text, const TranslatedText& translated);

  CacheCounters counters() const;

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<const TranslatedText> text;
    int64_t bytes = 0;
  };

  void remove_oldest();

  const int64_t most_bytes_;
  const bool is_per_client_;
  mutable std::mutex mutex_;  // guards the members below
  std::list<Entry> entries_;  // the last used first
  std::unordered_map<std::string, std::list<Entry>::iterator> by_key_;
  CacheCounters counters_;
};

}  // namespace dietmt::service
