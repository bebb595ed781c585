#pragma once

namespace dietmt {

/// Whether a byte of UTF-8 text is inside a character: any of its bytes but the first.
constexpr bool continues_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

}  // namespace dietmt
