#include "kernels/cpu/instruction_sets.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "common/error.h"

namespace dietmt::kernels {
namespace {

std::string names_that_run_here() {
  std::string names;
  for (const InstructionSet& set : instruction_sets())
    if (set.runs_here) names += (names.empty() ? "" : ", ") + std::string(set.name);
  return names;
}

}  // namespace

const InstructionSet* find_instruction_set(std::string_view name) {
  const std::span<const InstructionSet> sets = instruction_sets();
  const auto found =
      std::ranges::find_if(sets, [&](const InstructionSet& set) { return set.name == name; });
  return found == sets.end() ? nullptr : &*found;
}

const InstructionSet& choose_instruction_set(const char* wanted) {
  if (wanted == nullptr || *wanted == '\0') {
    const std::span<const InstructionSet> sets = instruction_sets();
    size_t best = sets.size() - 1;
    while (!sets[best].runs_here) --best;
    return sets[best];
  }
  const InstructionSet* set = find_instruction_set(wanted);
  if (set && set->runs_here) return *set;
  throw ConfigError("DIETMT_INSTRUCTION_SET: " +
                    (set ? "this processor does not have '" : std::string("unknown name '")) +
                    wanted + "'; choose one of " + names_that_run_here());
}

const InstructionSet& chosen_instruction_set() {
  static const InstructionSet& chosen =
      choose_instruction_set(std::getenv("DIETMT_INSTRUCTION_SET"));
  return chosen;
}

}  // namespace dietmt::kernels
