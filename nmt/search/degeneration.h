// Signs that a model has gone off the rails: it repeats itself, stops too late or too early, or
// outputs nothing.
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
  /// The source has more than three times as many tokens, and more than 20.
  kTooShort,
  /// No token, although the source has some.
  kEmpty,
};

/// The first of these signs, judging by the tokens without end of sentence.
Degeneration degeneration(std::span<const int32_t> source, std::span<const int32_t> target);

/// The fewest tokens of a translation that is not too short.
int64_t least_length(size_t source_tokens);

/// A phrase that makes up three quarters of the translation or more, as in "dog dog dog": two to
/// eight tokens at least twice in a row, or one token at least three times. Empty if there is none,
/// the source is not shorter than these tokens, or it repeats itself too.
std::span<const int32_t> repeated_phrase(std::span<const int32_t> source,
                                         std::span<const int32_t> target);

/// "repeats itself", "is too long", "is too short", "is empty"; "" for kNone.
const char* description(Degeneration sign);

}  // namespace dietmt::nmt
