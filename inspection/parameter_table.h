// The number of parameters of a model by component.
#pragma once

#include <string>

#include "encoders/position/parameter_counts.h"

namespace dietmt::inspection {

/// Lines "component<TAB>count"; each layer and each position encoding is a component. Then
/// "positions", the sum over all encodings, and "total".
std::string parameter_table(encoders::ParameterCounts counts);

}  // namespace dietmt::inspection
