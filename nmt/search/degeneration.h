// Signs that a model has gone off the rails: it repeats itself, does not stop, or outputs nothing.
#pragma once

#include <cstdint>
#include <span>

namespace dietmt::nmt {

enum class Degeneration {
  kNone,
  /// A stretch that only repeats 1 to 16 tokens, at least four times and over at least twelve
  /// tokens, and is more than twice as long as any such stretch of the source.
  kRepetition,
  /// More than three times as many tokens as the source, and more than 20.
  kTooLong,
  /// No token, although the source has some.
  kEmpty,
};

/// The first of these signs, judging by the tokens without end of sentence.
Degeneration degeneration(std::span<const int32_t> source, std::span<const int32_t> target);

/// "repeats itself", "is too long", "is empty"; null for kNone.
const char* description(Degeneration sign);

}  // namespace dietmt::nmt
