// What some work asked of the counting device, as step tests compare and print it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "tests/counting_device/counting_device.h"

namespace dietmt::counting {

/// Counts of some work, and how often the host waited in each place.
struct StepReport {
  double launches = 0.0;
  double in_graphs = 0.0;  // launches made by graphs
  double copies = 0.0;
  double waits = 0.0;
  std::map<std::string, double> places;  // operation and the functions that called it
};

/// For one step: `steps(n)` does n steps and possibly other work, the same for every n. Subtracts
/// the counts for `few` steps from those for `many`.
StepReport report_of_step(int64_t few, int64_t many, const std::function<void(int64_t)>& steps);

StepReport report_of(const std::function<void()>& work);

/// The places of the waits, one per line.
std::string text_of_waits(const StepReport& report);

/// Prints the report if the environment variable DIETMT_COUNTING_REPORT is set.
void print_if_wanted(const std::string& name, const StepReport& report);

}  // namespace dietmt::counting
