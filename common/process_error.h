// Why one process of a training on several ends when it is another one's fault.
#pragma once

#include "common/error.h"

namespace dietmt {

/// The exit code of a training that the same command continues: stopped by a signal, or left by
/// another process.
inline constexpr int kResumable = 75;

/// Another process has ended or cannot be reached; exit code kResumable.
class PeerError : public Error {
 public:
  using Error::Error;
};

/// The first process has failed and says why; this one ends with exit code 1 and is silent.
class FirstProcessFailed : public Error {
 public:
  FirstProcessFailed() : Error("the first process has failed") {}
};

}  // namespace dietmt
