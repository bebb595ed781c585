// What the processes of a training run tell each other before they train. Those that cannot train
// together end at once with one sentence instead of waiting for each other.
#pragma once

#include <string>
#include <vector>

namespace dietmt::training {

struct Handshake {
  std::string program = {};   // versions of dietmt and LibTorch
  std::string machine = {};   // host name
  std::string device = {};    // "cpu", "cuda:3"
  std::string identity = {};  // unique to the device; empty: unknown
  std::string problem = {};   // why this process cannot train, or ""
};

/// Converts to text and back.
std::string handshake_text(const Handshake& handshake);
Handshake handshake_from(const std::string& text);

/// One sentence that names the first rank that cannot train with the earlier ones, or "". Reasons:
/// its own problem, another version of the program, another kind of device than rank 0's, or the
/// same device as an earlier rank. Device names are not enough to tell: a rank may see only its own
/// GPU, as cuda:0. `ranks`: in order.
std::string handshake_problem(const std::vector<Handshake>& ranks);

/// The name of this machine.
std::string machine_name();

}  // namespace dietmt::training
