// The exceptions of dietmt. A message is one sentence for the user that names the file, line,
// option or head at fault. tools/program.cpp prints it and chooses the exit code. Those that end a
// run that can be resumed are in common/exit_kinds.h.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace dietmt {

/// Any failure reported to the user; exit code 1.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A wrong option or value, or a wrong combination; exit code 2.
class ConfigError : public Error {
 public:
  using Error::Error;
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

/// Work that does not fit in memory.
class MemoryError : public Error {
 public:
  using Error::Error;
};

/// A request that the service cannot fulfil.
class RequestError : public Error {
 public:
  using Error::Error;
};

/// The problems, one per line.
inline std::string joined_lines(const std::vector<std::string>& problems) {
  std::string joined;
  for (const std::string& problem : problems) joined += (joined.empty() ? "" : "\n") + problem;
  return joined;
}

/// Throws if there are problems; the message has one per line.
template <typename Kind = ConfigError>
void throw_if_any(const std::vector<std::string>& problems) {
  if (!problems.empty()) throw Kind(joined_lines(problems));
}

}  // namespace dietmt
