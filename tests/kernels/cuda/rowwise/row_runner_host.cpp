#include "tests/kernels/cuda/rowwise/host_rows.h"
#include "tests/kernels/cuda/rowwise/row_runner.h"

namespace dietmt::kernels {

void run_rows_here(const AddNorm& call) { run_rows_on_host(call, {}); }
void run_rows_here(const AddNormBackward& call) { run_rows_on_host(call, {}); }
void run_rows_here(const Activate& call) { run_rows_on_host(call, {}); }
void run_rows_here(const ActivateBackward& call) { run_rows_on_host(call, {}); }
void run_rows_here(const DeviceColumnSums& call) { run_rows_on_host(call, {}); }
void run_rows_here(const DeviceEmbed& call) { run_rows_on_host(call, {}); }
void run_rows_here(const DeviceEmbedBackward& call) { run_rows_on_host(call, {}); }
void run_rows_here(const DeviceCrossEntropy& call) { run_rows_on_host(call, {}); }
void run_rows_here(const Rotate& call) { run_rows_on_host(call, {}); }

}  // namespace dietmt::kernels
