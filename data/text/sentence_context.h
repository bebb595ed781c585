// The sentences before a sentence, for models that read them too: document-level translation by
// concatenation (Tiedemann and Scherrer 2017).
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace dietmt::data {

/// How a model reads the sentences before: oldest first, each followed by a separator.
struct SentenceContext {
  int64_t sentences = 0;  // at most; 0: the model reads each sentence by itself
  int32_t source_separator = -1;
  int32_t target_separator = -1;  // -1: the target is the sentence by itself
  int64_t max_tokens = 0;  // of a side with its context and end of sentence; a sentence longer than
                           // this has no context

  bool any() const { return sentences > 0; }
  bool in_target() const { return any() && target_separator >= 0; }
  bool operator==(const SentenceContext&) const = default;
};

/// The last sentences of a document.
class ContextWindow {
 public:
  explicit ContextWindow(int64_t sentences) : most_(sentences) {}

  /// Adds the next sentence of the document; tokens without end of sentence.
  void add(std::span<const int32_t> sentence);
  /// A new document begins.
  void clear() { sentences_.clear(); }

  int64_t size() const { return static_cast<int64_t>(sentences_.size()); }

  /// How many of the last sentences, with a separator each, fit before `own` tokens so that all are
  /// at most `max_tokens`.
  int64_t fitting(int64_t own, int64_t max_tokens) const;

  /// The last `count` sentences, each followed by the separator.
  std::vector<int32_t> last(int64_t count, int32_t separator) const;

 private:
  int64_t most_;
  std::deque<std::vector<int32_t>> sentences_;  // oldest first
};

}  // namespace dietmt::data
