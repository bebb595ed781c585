// Ends of a run that are not its failure, for tools/program.cpp.
#pragma once

#include "common/error.h"

namespace dietmt {

/// Exit code of a training run that the same command resumes: it was stopped by a signal or
/// --max-time, or lost another process.
inline constexpr int kResumable = 75;

/// A signal or --max-time stopped the work before there was anything to save. The message is
/// stop_reason(), the exit code kResumable.
class Stopped : public Error {
 public:
  using Error::Error;
};

/// Another process has ended or cannot be reached; exit code kResumable.
class PeerError : public Error {
 public:
  using Error::Error;
};

/// The first process failed and reports why; this one exits silently with code 1.
class FirstProcessFailed : public Error {
 public:
  FirstProcessFailed() : Error("the first process has failed") {}
};

}  // namespace dietmt
