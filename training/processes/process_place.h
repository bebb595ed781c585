// Which of the processes of a training this one is, from the variables that launchers set.
//
//   torchrun, `dietmt train --processes`   RANK WORLD_SIZE LOCAL_RANK LOCAL_WORLD_SIZE
//   srun                                   SLURM_PROCID SLURM_NTASKS SLURM_LOCALID
//   mpirun (Open MPI)                      OMPI_COMM_WORLD_RANK _SIZE _LOCAL_RANK _LOCAL_SIZE
//
// The first line of these that is there counts. MASTER_ADDR and MASTER_PORT name the machine of
// rank 0 and a free port of it, whoever launches.
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
  int64_t local_processes = 1;             // on its machine, as far as it is known
  std::string address = {};                // where rank 0 is found
  int64_t port = 0;
  bool launcher_keeps_store = false;  // at that address; otherwise rank 0 does
  std::string attempt = {};           // of the launcher to start the processes, in such a store
};

/// The value of an environment variable, or null.
using Variables = std::function<const char*(const char* name)>;

/// One process alone where no launcher has set variables. A batch script of Slurm, outside srun, is
/// one process too. Throws ConfigError naming the variable that is missing, no number, or
/// contradicts another one.
ProcessPlace process_place(const Variables& variables);
ProcessPlace process_place();  // of this process

/// Set for the processes that `dietmt train --processes` has started. It says what has become of
/// them, so that they need not say that they have lost each other.
constexpr const char* kLaunchedVariable = "DIETMT_LAUNCHED";

}  // namespace dietmt::training
