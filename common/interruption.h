// Ends long work from inside: code that reads or writes a stranger's bytes calls
// check_interruption() now and then, and the function that started the work says when it should
// end.
//
//   const Interruption interruption([&] { patience.check(); });  // throws when time is up
//   open_document(...);
#pragma once

#include <functional>

namespace dietmt {

/// Lasts until it is destroyed, and concerns this thread only. Inside another one, replaces it.
class Interruption {
 public:
  /// `check` ends the work with an exception. It is called every few milliseconds of the work.
  explicit Interruption(std::function<void()> check);
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

 private:
  friend void check_interruption();
  const std::function<void()> check_;
  Interruption* const outer_;
};

/// Throws what the check throws. Cheap: call it for each element, line or segment.
void check_interruption();

/// For callbacks of C libraries, which an exception must not cross: whether check_interruption()
/// throws. It throws the same again when the library has returned.
bool is_interrupted() noexcept;

}  // namespace dietmt
