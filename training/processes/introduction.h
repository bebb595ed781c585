// What the processes of a training tell each other when they meet, so that those that cannot train
// together end at once with one sentence instead of waiting for each other.
#pragma once

#include <string>
#include <vector>

namespace dietmt::training {

struct Introduction {
  std::string program = {};   // versions of dietmt and LibTorch
  std::string machine = {};   // host name
  std::string device = {};    // "cpu", "cuda:3"
  std::string identity = {};  // of the device, which no other has; empty: unknown
  std::string problem = {};   // why this process cannot train; empty: nothing
};

/// As text, and back.
std::string introduction_text(const Introduction& introduction);
Introduction introduction_from(const std::string& text);

/// One sentence that names the first rank that cannot train with those before it; empty if all can.
/// Reasons: its own problem, another program, another kind of device than rank 0, the same device
/// as an earlier rank. Names of devices do not tell this: a rank may see only its own GPU, as
/// cuda:0. `ranks`: in order.
std::string problem_of_meeting(const std::vector<Introduction>& ranks);

/// The name of this machine.
std::string machine_name();

}  // namespace dietmt::training
