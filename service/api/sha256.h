#pragma once

#include <openssl/sha.h>

#include <string>
#include <string_view>

namespace dietmt::service {

/// The 32 bytes of the digest.
inline std::string sha256(std::string_view text) {
  std::string hash(SHA256_DIGEST_LENGTH, '\0');
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(),
         reinterpret_cast<unsigned char*>(hash.data()));
  return hash;
}

}  // namespace dietmt::service
