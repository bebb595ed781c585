// Signs that a translation is no translation: a model that has lost its way repeats itself, goes on
// and on, or says nothing.
#pragma once

#include <cstdint>
#include <span>

namespace dietmt::nmt {

enum class Degeneration {
  kNone,
  /// A stretch that only repeats 1 to 16 tokens, at least four times and over at least twelve
  /// tokens, and is more than twice as long as any such stretch of the source.
  kRepetition,
  /// More than three times as many tokens as the source, and 20.
  kTooLong,
  /// No token, though the source has some.
  kEmpty,
};

/// The first of these signs, by the tokens without end of sentence.
Degeneration degeneration(std::span<const int32_t> source, std::span<const int32_t> target);

/// "repeats itself", "is too long", "is empty"; nothing for kNone.
const char* description(Degeneration sign);

}  // namespace dietmt::nmt
