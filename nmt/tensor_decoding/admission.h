// How many sentences a device encodes and decodes at once. An encoder pass costs hardly more for
// many sentences than for few, and a step with open rows unused is wasted. So the sources of many
// sentences are encoded together, and wait in the cache until rows are free.
#pragma once

#include <algorithm>
#include <cstdint>

namespace dietmt::nmt {

/// Loads are FedSentence::load(), in source tokens.
struct Admission {
  int64_t most_load = 0;  // of the open sentences, and of those that wait for rows

  /// The load of sentences to take from the feed for one encoder pass; 0: none yet. `load`: of
  /// all that it has given. `idle`: none of them is open.
  int64_t room(int64_t load, int64_t waiting, bool idle) const {
    const int64_t room = most_load - load;
    if (idle) return std::max<int64_t>(1, room);
    return waiting == 0 && room >= least_room() ? room : 0;
  }

  /// The load of urgent sentences to take: they have as much room again, and rows before others.
  int64_t urgent_room(int64_t load) const {
    const int64_t room = 2 * most_load - load;
    return room >= least_room() ? room : 0;
  }

 private:
  int64_t least_room() const { return std::max<int64_t>(1, most_load / 8); }
};

}  // namespace dietmt::nmt
