// The instruction sets that the CPU kernels are compiled for. The best one that the processor has
// is chosen once a process, at the first call of a kernel. The environment variable
// DIETMT_INSTRUCTION_SET lowers the choice, so that tests run the kernels of lesser processors:
//
//   DIETMT_INSTRUCTION_SET=avx2 ctest --test-dir build -R kernels
//
// Each folder below (attention/, step/, linear/, products/, rowwise/) compiles its *.isa.cpp
// sources once for each set that makes a difference to them. Each set exports one table of
// functions, such as RowwiseKernels (kernels/rowwise.h); tables.cpp.in becomes the source that
// lists the tables and chooses the best one.
#pragma once

#include <span>
#include <string_view>

namespace dietmt::kernels {

struct InstructionSet {
  const char* name;
  bool runs_here;  // on this processor, under this operating system
};

/// Those of this processor family, best last; the first runs everywhere. x86-64: generic, avx2,
/// avx2_vnni, avx512, avx512_vnni, avx512_bf16, avx512_amx. Arm64: generic, neon_dot (dot products
/// of Armv8.2), neon_i8mm (matrices and bf16 of Armv8.6).
std::span<const InstructionSet> instruction_sets();

/// The set of that name in instruction_sets(), or nullptr.
const InstructionSet* find_instruction_set(std::string_view name);

/// The set called `wanted`, or the best one that runs here if that is null or empty. Throws
/// ConfigError if there is no such set, or if it does not run here.
const InstructionSet& choose_instruction_set(const char* wanted);

/// The choice of this process: that of DIETMT_INSTRUCTION_SET.
const InstructionSet& chosen_instruction_set();

/// The best of a folder's tables, which are ordered as the sets: up to the chosen set.
template <typename Kernels>
const Kernels& best_table(std::span<const Kernels* const> tables) {
  const InstructionSet& limit = chosen_instruction_set();
  const Kernels* best = tables.front();
  for (const Kernels* table : tables) {
    const InstructionSet* set = find_instruction_set(table->instruction_set);
    if (set->runs_here && set <= &limit) best = table;
  }
  return *best;
}

}  // namespace dietmt::kernels
