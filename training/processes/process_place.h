// The rank of this process in a training run, from the launcher's environment variables, and its
// address.
//
//   torchrun, `dietmt train --processes`   RANK WORLD_SIZE LOCAL_RANK LOCAL_WORLD_SIZE
//   srun                                   SLURM_PROCID SLURM_NTASKS SLURM_LOCALID
//   mpirun (Open MPI)                      OMPI_COMM_WORLD_RANK _SIZE _LOCAL_RANK _LOCAL_SIZE
//
// The first line whose variables are set wins. MASTER_ADDR and MASTER_PORT always name the machine
// of rank 0 and a free port on it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace dietmt::training {

struct ProcessPlace {
  int64_t rank = 0;
  int64_t processes = 1;
  std::optional<int64_t> local_rank = {};  // on its machine
  int64_t local_processes = 1;             // on its machine, as far as known
  std::string address = {};                // where to reach rank 0
  int64_t port = 0;
  bool launcher_keeps_store = false;  // at that address; otherwise rank 0 does
  std::string attempt = {};  // the launcher's attempt to start the processes, in such a store
};

/// Returns the value of an environment variable, or null.
using Variables = std::function<const char*(const char* name)>;

/// A single process if no launcher has set variables, or in a Slurm batch script outside srun.
/// Throws ConfigError naming a variable that is missing, not a number, or contradicts another.
ProcessPlace process_place(const Variables& variables);
ProcessPlace process_place();  // of this process

/// Address of the network interface that routes to `host` (a name or address); "" if there is no
/// route. Sends nothing.
std::string address_towards(const std::string& host);

}  // namespace dietmt::training
