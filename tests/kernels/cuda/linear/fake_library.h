// A stand-in for cuBLASLt over host memory, written after the library's header. It rejects
// incompatible shapes. For tests of how linear layers call the library.
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
