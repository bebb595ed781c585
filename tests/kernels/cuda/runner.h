// Where the cases run: on the host (runner_host.cpp) or on a GPU (runner_gpu.cpp). Each test
// program links one of them.
#pragma once

#include <cstddef>
#include <string>

#include "kernels/attention.h"

namespace dietmt::kernels {

/// Empty if the cases can run here.
std::string reason_not_to_run();

/// Empty if this case can run here. Some need more shared memory than devices have.
std::string reason_not_to_run(const AttentionForward& call);

/// Host memory that kernels see when a case runs; zeroed, aligned, and freed when the program ends.
void* allocate_shared(size_t bytes);

/// Forward, then backward; the results are complete on return.
void run_attention(const AttentionBackward& call);

}  // namespace dietmt::kernels
