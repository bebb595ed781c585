#pragma once

#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace dietmt::fetching {

/// The SHA-256 of bytes that arrive piece by piece (OpenSSL).
class Sha256 {
 public:
  Sha256();
  void add(std::string_view bytes);
  /// In lower-case hexadecimal digits. Starts over.
  std::string digest();
  void restart();

 private:
  std::unique_ptr<evp_md_ctx_st, void (*)(evp_md_ctx_st*)> context_;
};

/// Whether the text is 64 lower-case hexadecimal digits.
bool is_sha256(std::string_view text);

}  // namespace dietmt::fetching
