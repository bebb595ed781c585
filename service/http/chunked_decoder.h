// Transfer-Encoding: chunked (RFC 9112, section 7.1), as strict as the standard: whoever reads
// framing generously lets requests be smuggled past a proxy that reads it otherwise.
#pragma once

#include <cstdint>
#include <string_view>

#include "service/http/spooled_bytes.h"

namespace dietmt::service {

class ChunkedDecoder {
 public:
  explicit ChunkedDecoder(uint64_t max_body) : max_body_(max_body) {}

  /// Appends the data among `bytes` to `body` up to the end of the last chunk and its trailer
  /// fields, which are read and forgotten. Returns how many bytes were consumed: all unless done().
  /// Throws RequestFault: 400 for malformed framing, 413 above the limit.
  size_t feed(std::string_view bytes, SpooledBytes& body);

  bool done() const { return state_ == State::kDone; }

 private:
  enum class State {
    kSize,
    kExtension,
    kSizeEnd,
    kData,
    kDataReturn,
    kDataEnd,
    kTrailerStart,
    kTrailer,
    kTrailerEnd,
    kLastEnd,
    kDone
  };

  void step(char c);
  void size_digit(char c);
  void count_extra_byte();

  uint64_t max_body_;
  State state_ = State::kSize;
  uint64_t left_ = 0;         // of the chunk's data
  int digits_ = 0;            // of the chunk's size
  uint64_t extra_bytes_ = 0;  // extensions and trailer fields
};

}  // namespace dietmt::service
