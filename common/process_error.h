// Why a training run ends early although its input is correct.
#pragma once

#include "common/error.h"

namespace dietmt {

/// The exit code of a training run that the same command resumes: a signal or --max-time stopped
/// it, or another process was lost.
inline constexpr int kResumable = 75;

/// A signal or --max-time stopped the work before there was anything to save; the message is
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

/// The first process failed and reports the reason; this one ends silently with exit code 1.
class FirstProcessFailed : public Error {
 public:
  FirstProcessFailed() : Error("the first process has failed") {}
};

}  // namespace dietmt
