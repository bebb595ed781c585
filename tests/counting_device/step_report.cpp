#include "tests/counting_device/step_report.h"

#include <fmt/format.h>

#include <cstdlib>
#include <iostream>

namespace dietmt::counting {
namespace {

std::string one_line(std::string frames) {
  for (size_t at = frames.find('\n'); at != std::string::npos; at = frames.find('\n'))
    frames.replace(at, 1, " < ");
  return frames;
}

}  // namespace

StepReport report_of(const std::function<void()>& work) {
  reset_counts();
  work();
  const Counts counted = counts();
  StepReport report;
  report.launches = static_cast<double>(counted.launches);
  report.in_graphs = static_cast<double>(counted.in_graphs);
  report.copies = static_cast<double>(counted.host_to_device + counted.device_to_host);
  report.waits = static_cast<double>(counted.waits);
  for (const Place& place : places_of_waits())
    report.places[place.operation + ": " + one_line(place.frames)] += 1.0;
  return report;
}

StepReport report_of_step(int64_t few, int64_t many, const std::function<void(int64_t)>& steps) {
  const StepReport less = report_of([&] { steps(few); });
  StepReport report = report_of([&] { steps(many); });
  const auto count = static_cast<double>(many - few);
  report.launches = (report.launches - less.launches) / count;
  report.in_graphs = (report.in_graphs - less.in_graphs) / count;
  report.copies = (report.copies - less.copies) / count;
  report.waits = (report.waits - less.waits) / count;
  for (auto& [place, times] : report.places) {
    const auto found = less.places.find(place);
    times = (times - (found == less.places.end() ? 0.0 : found->second)) / count;
  }
  std::erase_if(report.places, [](const auto& place) { return place.second == 0.0; });
  return report;
}

std::string text_of_waits(const StepReport& report) {
  std::string text;
  for (const auto& [place, times] : report.places)
    text += fmt::format("{:8.2f}  {}\n", times, place);
  return text;
}

void print_if_wanted(const std::string& name, const StepReport& report) {
  if (std::getenv("DIETMT_COUNTING_REPORT") == nullptr) return;
  std::cout << fmt::format("{}: {:.2f} launches, {:.2f} in graphs, {:.2f} copies, {:.2f} waits\n{}",
                           name, report.launches, report.in_graphs, report.copies, report.waits,
                           text_of_waits(report));
}

}  // namespace dietmt::counting
