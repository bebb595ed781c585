// The address under which the other processes of a training reach this one.
#pragma once

#include <string>

namespace dietmt::training {

/// That of the network interface over which `host`, a name or address, is reached; empty where it
/// cannot be told. Nothing is sent.
std::string address_towards(const std::string& host);

}  // namespace dietmt::training
