// Why a training ends before its time, where nothing is wrong with its input.
#pragma once

#include "common/error.h"

namespace dietmt {

/// The exit code of a training that the same command continues: stopped by a signal, or left by
/// another process.
inline constexpr int kResumable = 75;

/// A signal has stopped the work before there was anything to save; exit code kResumable.
class Stopped : public Error {
 public:
  Stopped() : Error("stopped by a signal") {}
};

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
