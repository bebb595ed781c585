// Where the row kernel cases run: on the host (row_runner_host.cpp) or on a GPU
// (row_runner_gpu.cpp). Each test program links one of them.
#pragma once

#include <cstddef>
#include <string>

#include "kernels/device_kernels.h"

namespace dietmt::kernels {

/// Empty if the cases can run here.
std::string reason_not_to_run();

/// Memory shared by host and kernels; aligned, filled with NaN of every type, and freed when the
/// program ends.
void* allocate_shared(size_t bytes);

/// Run a call; the results are complete on return.
void run_rows_here(const AddNorm& call);
void run_rows_here(const AddNormBackward& call);
void run_rows_here(const Activate& call);
void run_rows_here(const ActivateBackward& call);
void run_rows_here(const DeviceColumnSums& call);
void run_rows_here(const DeviceEmbed& call);
void run_rows_here(const DeviceEmbedBackward& call);
void run_rows_here(const DeviceCrossEntropy& call);
void run_rows_here(const Rotate& call);

}  // namespace dietmt::kernels
