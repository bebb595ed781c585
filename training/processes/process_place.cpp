#include "training/processes/process_place.h"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <memory>

#include "common/error.h"
#include "common/numbers.h"
#include "common/system.h"

namespace dietmt::training {
namespace {

// A launcher's names for the variables; null if it has no such variable.
struct Names {
  const char* rank;
  const char* processes;
  const char* local_rank;
  const char* local_processes;
};

constexpr Names kStandard = {"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"};
constexpr Names kSlurm = {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", nullptr};
constexpr Names kOpenMpi = {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
                            "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"};

constexpr int64_t kMostProcesses = 1'000'000;
constexpr int64_t kLastPort = 65'535;

class Reader {
 public:
  explicit Reader(const Variables& variables) : variables_(variables) {}

  bool has(const char* name) const { return name != nullptr && text(name) != nullptr; }

  // Null also if it is empty.
  const char* text(const char* name) const {
    const char* value = variables_(name);
    return value != nullptr && *value != '\0' ? value : nullptr;
  }

  std::string required(const char* name, const char* because) const {
    if (!has(name))
      throw ConfigError(std::string("the environment variable ") + name + " is not set, but " +
                        because + " is");
    return text(name);
  }

  int64_t number(const char* name, int64_t least, int64_t most, const char* because) const {
    const std::string value = required(name, because);
    const std::optional number = number_in<int64_t>(value);
    if (!number || *number < least || *number > most) {
      throw ConfigError(std::string("the environment variable ") + name + " is '" + value +
                        "'; it must be a number from " + std::to_string(least) + " to " +
                        std::to_string(most));
    }
    return *number;
  }

 private:
  const Variables& variables_;
};

// Null: no launcher. mpirun works inside Slurm tasks, whose variables stay set. In batch scripts
// Slurm also sets the variables of tasks; only the missing step number shows that there is a single
// process.
const Names* launcher(const Reader& reader) {
  const bool batch_script = reader.has("SLURM_JOB_ID") && !reader.has("SLURM_STEP_ID");
  for (const Names* names : {&kStandard, &kOpenMpi, &kSlurm}) {
    if (names == &kSlurm && batch_script) continue;
    if (reader.has(names->rank) || reader.has(names->processes)) return names;
  }
  return nullptr;
}

// Connecting a datagram socket sends nothing, but makes the kernel choose a route.
std::string address_on_route(const addrinfo& to) {
  const FileDescriptor socket = open_socket(to.ai_family, SOCK_DGRAM);
  if (!socket.valid()) return "";
  sockaddr_storage own = {};
  socklen_t length = sizeof own;
  char text[NI_MAXHOST] = "";
  const bool found =
      ::connect(socket.number(), to.ai_addr, to.ai_addrlen) == 0 &&
      ::getsockname(socket.number(), reinterpret_cast<sockaddr*>(&own), &length) == 0 &&
      ::getnameinfo(reinterpret_cast<sockaddr*>(&own), length, text, sizeof text, nullptr, 0,
                    NI_NUMERICHOST) == 0;
  return found ? text : "";
}

}  // namespace

ProcessPlace process_place(const Variables& variables) {
  const Reader reader(variables);
  const Names* const names = launcher(reader);
  ProcessPlace place;
  if (names == nullptr) return place;
  place.processes = reader.number(names->processes, 1, kMostProcesses, names->rank);
  place.rank = reader.number(names->rank, 0, kMostProcesses, names->processes);
  if (place.rank >= place.processes) {
    throw ConfigError(std::string("the environment variable ") + names->rank + " is " +
                      std::to_string(place.rank) + ", but " + names->processes + " is " +
                      std::to_string(place.processes) + ": ranks count from 0");
  }
  if (reader.has(names->local_processes)) {
    place.local_processes =
        reader.number(names->local_processes, 1, place.processes, names->local_processes);
  }
  if (reader.has(names->local_rank))
    place.local_rank = reader.number(names->local_rank, 0, place.processes - 1, names->rank);
  if (place.processes == 1) return place;
  place.address = reader.required("MASTER_ADDR", names->processes);
  place.port = reader.number("MASTER_PORT", 1, kLastPort, names->processes);
  // torchrun itself listens on that port.
  const char* const keeps = reader.text("TORCHELASTIC_USE_AGENT_STORE");
  place.launcher_keeps_store = keeps != nullptr && std::strcmp(keeps, "True") == 0;
  if (reader.has("TORCHELASTIC_RESTART_COUNT"))
    place.attempt = reader.text("TORCHELASTIC_RESTART_COUNT");
  return place;
}

ProcessPlace process_place() {
  return process_place([](const char* name) -> const char* { return std::getenv(name); });
}

std::string address_towards(const std::string& host) {
  addrinfo wanted = {};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_DGRAM;
  addrinfo* list = nullptr;
  if (::getaddrinfo(host.c_str(), "9", &wanted, &list) != 0) return "";
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(list, &::freeaddrinfo);
  for (const addrinfo* entry = list; entry != nullptr; entry = entry->ai_next) {
    const std::string address = address_on_route(*entry);
    if (!address.empty()) return address;
  }
  return "";
}

}  // namespace dietmt::training
