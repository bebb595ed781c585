// The address under which the other processes of a training reach this one.
#pragma once

#include <string>

namespace dietmt::training {

/// The address of the network interface that routes to `host` (a name or address); empty if there
/// is no route. Sends nothing.
std::string address_towards(const std::string& host);

}  // namespace dietmt::training
