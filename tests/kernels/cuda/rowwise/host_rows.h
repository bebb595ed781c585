// Runs the row kernels' source on the host, with the threads of a block as fibres.
#pragma once

#include <cstring>
#include <vector>

#include "kernels/cuda/rowwise/rowwise_driver.cuh"
#include "tests/kernels/cuda/host_launcher.h"

namespace dietmt::kernels {

inline ElementType type_of(const ActivateBackward& call) { return call.forward.type; }

template <typename Call>
ElementType type_of(const Call& call) {
  return call.type;
}

template <typename Arguments>
void launch_rows_on_host(ElementType type, const Arguments& arguments,
                         const HostSchedule& schedule) {
  HostLauncher launcher{schedule};
  switch (type) {
    case ElementType::kFloat:
      return run_rows<float>(arguments, launcher);
    case ElementType::kBFloat16:
      return run_rows<BFloat16>(arguments, launcher);
    case ElementType::kHalf:
      return run_rows<Half>(arguments, launcher);
  }
}

template <typename Call>
concept SumsColumns = requires(const Call& call) {
  plan(call, RowMemory{});
};

/// Partial sums are initialised to NaN. Returns whether all tickets are zero afterwards.
template <typename Call>
bool run_rows_on_host(const Call& call, const HostSchedule& schedule) {
  if constexpr (SumsColumns<Call>) {
    std::vector<Words> partial(static_cast<size_t>(partial_numbers(call) / 4 + 1));
    std::memset(partial.data(), 0xff, partial.size() * sizeof(Words));
    std::vector<uint32_t> tickets(kTicketCount, 0);
    const RowMemory memory{reinterpret_cast<float*>(partial.data()), tickets.data()};
    launch_rows_on_host(type_of(call), plan(call, memory), schedule);
    return tickets == std::vector<uint32_t>(kTicketCount, 0);
  } else {
    launch_rows_on_host(type_of(call), plan(call), schedule);
    return true;
  }
}

}  // namespace dietmt::kernels
