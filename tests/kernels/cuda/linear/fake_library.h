// A stand-in for cuBLASLt over host memory, after the description in the library's header. It
// refuses shapes that do not fit together. For tests of what linear layers ask of the library.
#pragma once

#include <set>

namespace dietmt::kernels {

struct FakeLibrary {
  std::set<int> epilogues_without_algorithm;
  int choices = 0;  // of an algorithm
  int products = 0;
  int column_sums = 0;  // by the kernel
};

FakeLibrary& fake_library();

}  // namespace dietmt::kernels
