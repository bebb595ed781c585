#include "training/processes/introduction.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <map>
#include <nlohmann/json.hpp>

namespace dietmt::training {
namespace {

// "cuda:3" -> "cuda"
std::string kind_of(const std::string& device) { return device.substr(0, device.find(':')); }

std::string name_of(size_t rank, const Introduction& introduction) {
  return "rank " + std::to_string(rank) + " on " + introduction.machine;
}

}  // namespace

std::string introduction_text(const Introduction& introduction) {
  return nlohmann::json{{"program", introduction.program},
                        {"machine", introduction.machine},
                        {"device", introduction.device},
                        {"identity", introduction.identity},
                        {"problem", introduction.problem}}
      .dump();
}

Introduction introduction_from(const std::string& text) {
  const nlohmann::json values = nlohmann::json::parse(text);
  return {values.at("program"), values.at("machine"), values.at("device"),
          values.value("identity", std::string()),  // other versions have none
          values.at("problem")};
}

std::string problem_of_meeting(const std::vector<Introduction>& ranks) {
  std::map<std::string, size_t> owners;  // of devices
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    const Introduction &own = ranks[rank], &first = ranks.front();
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
