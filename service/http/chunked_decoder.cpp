#include "service/http/chunked_decoder.h"

#include <algorithm>

#include "service/http/request_fault.h"

namespace dietmt::service {
namespace {

constexpr int kMaxSizeDigits = 15;
constexpr uint64_t kMaxExtraBytes = 16384;

[[noreturn]] void malformed() { throw RequestFault(400, "The chunked body is malformed."); }

void expect(char c, char wanted) {
  if (c != wanted) malformed();
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

size_t ChunkedDecoder::feed(std::string_view bytes, SpooledBytes& body) {
  size_t at = 0;
  while (at < bytes.size() && !done()) {
    if (state_ != State::kData) {
      step(bytes[at++]);
      if (state_ == State::kData && body.size() + left_ > max_body_) {
        throw RequestFault(413, "The body is larger than " + std::to_string(max_body_) + " bytes.");
      }
      continue;
    }
    const size_t n = static_cast<size_t>(std::min<uint64_t>(left_, bytes.size() - at));
    body.append(bytes.substr(at, n));
    at += n;
    left_ -= n;
    if (left_ == 0) state_ = State::kDataReturn;
  }
  return at;
}

void ChunkedDecoder::step(char c) {
  switch (state_) {
    case State::kSize:
      size_digit(c);
      break;
    case State::kExtension:
      count_extra_byte();
      if (c == '\r') {
        state_ = State::kSizeEnd;
      } else if (c == '\n') {
        malformed();
      }
      break;
    case State::kSizeEnd:
      expect(c, '\n');
      state_ = left_ > 0 ? State::kData : State::kTrailerStart;
      break;
    case State::kDataReturn:
      expect(c, '\r');
      state_ = State::kDataEnd;
      break;
    case State::kDataEnd:
      expect(c, '\n');
      digits_ = 0;
      state_ = State::kSize;
      break;
    case State::kTrailerStart:
      state_ = c == '\r' ? State::kLastEnd : State::kTrailer;
      if (c == '\n') malformed();
      break;
    case State::kTrailer:
      count_extra_byte();
      if (c == '\r') state_ = State::kTrailerEnd;
      if (c == '\n') malformed();
      break;
    case State::kTrailerEnd:
      expect(c, '\n');
      state_ = State::kTrailerStart;
      break;
    case State::kLastEnd:
      expect(c, '\n');
      state_ = State::kDone;
      break;
    case State::kData:
    case State::kDone:
      break;  // feed() gives no byte to these
  }
}

void ChunkedDecoder::size_digit(char c) {
  const int value = hex_value(c);
  if (value >= 0) {
    if (++digits_ > kMaxSizeDigits) malformed();
    left_ = left_ * 16 + static_cast<uint64_t>(value);
  } else if (digits_ > 0 && c == '\r') {
    state_ = State::kSizeEnd;
  } else if (digits_ > 0 && (c == ';' || c == ' ' || c == '\t')) {
    state_ = State::kExtension;
  } else {
    malformed();
  }
}

void ChunkedDecoder::count_extra_byte() {
  if (++extra_bytes_ > kMaxExtraBytes) {
    throw RequestFault(431, "Chunk extensions or trailer fields are too long.");
  }
}

}  // namespace dietmt::service
