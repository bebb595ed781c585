// Options of the machine, in the same words for all commands that decode.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/options.h"

namespace dietmt::tools {

/// --device and --weights.
void add_decoding_device(OptionTable& table, std::string& device, std::string& weights);

/// --workers and --batch-tokens.
void add_decoding_workers(OptionTable& table, int64_t& workers, int64_t& batch_tokens);

/// --threads of each worker.
void add_worker_threads(OptionTable& table, int64_t& threads);

/// A problem that names --weights, if it is no type of weights.
void check_weights(const std::string& weights, std::vector<std::string>& problems);

}  // namespace dietmt::tools
