// Values of a pickle as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "interchange/pytorch/pickle.h"

namespace dietmt::interchange {

/// Numbers, texts, sequences, and those items of dictionaries whose keys are texts. An object
/// becomes its attributes, and a container or a node of omegaconf what it holds; tensors and
/// classes become null. Throws CheckpointError for values nested deeper than options are, or for
/// more than four megabytes and ten times the pickle: shared parts count each time.
nlohmann::json plain_value(const Pickle& pickle, const PickleValue& value);

}  // namespace dietmt::interchange
