// The exceptions of the library. Each message says what is wrong, where, and what to do.
#pragma once

#include <stdexcept>

/// Marks what libdietmt.so exports; everything else in it is hidden.
#define DIETMT_API __attribute__((visibility("default")))

namespace dietmt {

/// Any failure of the library. For all kinds except UsageError the program's exit code is 1.
class DIETMT_API Exception : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A wrong option or value, or a wrong combination; the program's exit code is 2.
class DIETMT_API UsageError : public Exception {
 public:
  using Exception::Exception;
};

/// Bad input: text, a file, or lists of different lengths.
class DIETMT_API InputError : public Exception {
 public:
  using Exception::Exception;
};

/// A model directory that cannot be read or decoded with by this library.
class DIETMT_API ModelError : public Exception {
 public:
  using Exception::Exception;
};

/// TranslateOptions::cancelled returned true.
class DIETMT_API Cancelled : public Exception {
 public:
  using Exception::Exception;
};

}  // namespace dietmt
