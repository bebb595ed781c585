// Why one process of a training on several ends when it is another one's fault.
#pragma once

#include "common/error.h"

namespace dietmt {

/// Another process has ended or cannot be reached; exit code 75.
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
