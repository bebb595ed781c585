#include "training/processes/handshake.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <map>
#include <nlohmann/json.hpp>

namespace dietmt::training {
namespace {

// "cuda:3" -> "cuda"
std::string kind_of(const std::string& device) { return device.substr(0, device.find(':')); }

std::string name_of(size_t rank, const Handshake& handshake) {
  return "rank " + std::to_string(rank) + " on " + handshake.machine;
}

}  // namespace

std::string handshake_text(const Handshake& handshake) {
  return nlohmann::json{{"program", handshake.program},
                        {"machine", handshake.machine},
                        {"device", handshake.device},
                        {"identity", handshake.identity},
                        {"problem", handshake.problem}}
      .dump();
}

Handshake handshake_from(const std::string& text) {
  const nlohmann::json values = nlohmann::json::parse(text);
  return {values.at("program"), values.at("machine"), values.at("device"),
          values.value("identity", std::string()),  // other versions have none
          values.at("problem")};
}

std::string handshake_problem(const std::vector<Handshake>& ranks) {
  std::map<std::string, size_t> owners;  // of devices
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    const Handshake &own = ranks[rank], &first = ranks.front();
    const std::string name = name_of(rank, own);
    if (!own.problem.empty()) return name + " cannot train: " + own.problem;
    if (own.program != first.program)
      return name + " runs " + own.program + ", but rank 0 runs " + first.program +
             ": install the same version on all machines";
    if (kind_of(own.device) != kind_of(first.device))
      return name + " trains on " + own.device + ", but rank 0 on " + first.device +
             ": give all processes the same --device";
    if (own.identity.empty()) continue;
    const auto [owner, is_new] = owners.emplace(own.identity, rank);
    if (!is_new)
      return fmt::format(
          "{} and rank {} would share one GPU ({}, here {}): start as many processes "
          "on a machine as it has GPUs, each with its own LOCAL_RANK",
          name, owner->second, own.identity, own.device);
  }
  return {};
}

std::string machine_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "an unnamed machine";
}

}  // namespace dietmt::training
