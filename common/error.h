// The exceptions of dietmt. A message is one sentence for the user: it names the file, line, option
// or head at fault. tools/program.cpp prints it and chooses the exit code.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace dietmt {

/// Any failure reported to the user; exit code 1.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A wrong option, option value or combination of them; exit code 2.
class ConfigError : public Error {
 public:
  using Error::Error;
  /// All problems at once, one per line.
  explicit ConfigError(const std::vector<std::string>& problems);
};

/// Bad input data; the message names `file:line`.
class DataError : public Error {
 public:
  using Error::Error;
};

/// A checkpoint or model directory that cannot be read, written or resumed from.
class CheckpointError : public Error {
 public:
  using Error::Error;
};

/// A request that the service cannot serve as asked.
class RequestError : public Error {
 public:
  using Error::Error;
};

/// Throws ConfigError if `problems` is not empty.
void throw_if_any(const std::vector<std::string>& problems);

/// The exit code of a training run that ends early although its input is correct (a signal stopped
/// it, or another process was lost) and that the same command resumes.
inline constexpr int kResumable = 75;

/// A signal stopped the work before there was anything to save; exit code kResumable.
class Stopped : public Error {
 public:
  Stopped() : Error("stopped by a signal") {}
};

/// Another process has ended or cannot be reached; exit code kResumable.
class PeerError : public Error {
 public:
  using Error::Error;
};

/// The first process failed and reports the reason; this one ends silently with exit code 1.
class FirstProcessFailed : public Error {
 public:
  FirstProcessFailed() : Error("the first process has failed") {}
};

// Checks of options. They collect problems, so that a user sees all of them at once. `option` is
// the name that starts the message, e.g. "--dropout".

/// Unless `value` is one of `choices`.
void check_choice(std::vector<std::string>& problems, const std::string& option,
                  const std::string& value, const std::vector<std::string>& choices);

/// Unless 0 <= p < 1.
void check_probability(std::vector<std::string>& problems, const std::string& option, double p);

/// Unless value > 0.
void check_positive(std::vector<std::string>& problems, const std::string& option, int64_t value);

/// Unless `value` of `option` is a multiple of `divisor`. A divisor that is not
/// positive is reported by another check.
void check_divisible(std::vector<std::string>& problems, const std::string& option, int64_t value,
                     const std::string& divisor_option, int64_t divisor);

}  // namespace dietmt
