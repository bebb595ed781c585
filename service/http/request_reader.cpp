#include "service/http/request_reader.h"

#include <algorithm>
#include <utility>

#include "service/http/request_fault.h"

namespace dietmt::service {

size_t RequestReader::feed(std::string_view bytes) {
  size_t consumed = 0;
  if (stage_ == Stage::kEmpty) {
    // An empty line may precede a request (RFC 9112, section 2.2).
    consumed = std::min(bytes.find_first_not_of("\r\n"), bytes.size());
    if (consumed < bytes.size()) stage_ = Stage::kHead;
  }
  if (stage_ == Stage::kHead) consumed += feed_head(bytes.substr(consumed));
  if (stage_ == Stage::kBody) consumed += feed_body(bytes.substr(consumed));
  return consumed;
}

size_t RequestReader::feed_head(std::string_view bytes) {
  const size_t before = head_.size();
  head_ += bytes.substr(0, limits_.head + 1 - std::min(before, limits_.head));
  const size_t end = head_.find("\r\n\r\n", before < 3 ? 0 : before - 3);
  if (end == std::string::npos) {
    check_head_so_far();
    return bytes.size();
  }
  const size_t size = end + 4;
  begin_body(size);
  head_ = {};
  return size - before;
}

// Says what is wrong as early as it is known: who speaks TLS or noise must not wait for a timeout.
void RequestReader::check_head_so_far() const {
  const size_t line = head_.find('\n');
  if (line == std::string::npos && head_.size() > kMaxHeadLine) {
    throw RequestFault(414, "The request line is too long.");
  }
  if (head_.size() > limits_.head) throw RequestFault(431, "The header fields are too long.");
  if (head_.front() < 'A' || head_.front() > 'Z') {
    throw RequestFault(400, "This is no HTTP request.");
  }
}

void RequestReader::begin_body(size_t head_size) {
  if (head_size > limits_.head) throw RequestFault(431, "The header fields are too long.");
  request_.head = parse_request_head(std::string_view(head_).substr(0, head_size));
  request_.body = std::make_unique<SpooledBytes>(budget_);
  const RequestHead& head = request_.head;
  const uint64_t limit = body_limit(decoded_path(head.target), limits_.body_below, limits_.body);
  if (head.content_length > limit) {
    throw RequestFault(413, "The body is larger than " + std::to_string(limit) + " bytes.");
  }
  chunks_ = ChunkedDecoder(limit);
  const bool has_body = head.chunked || head.content_length > 0;
  stage_ = has_body ? Stage::kBody : Stage::kComplete;
  owes_continue_ = has_body && head.expects_continue;
}

size_t RequestReader::feed_body(std::string_view bytes) {
  if (!bytes.empty()) owes_continue_ = false;
  SpooledBytes& body = *request_.body;
  if (request_.head.chunked) {
    const size_t consumed = chunks_.feed(bytes, body);
    if (chunks_.done()) stage_ = Stage::kComplete;
    return consumed;
  }
  const uint64_t missing = request_.head.content_length - body.size();
  const size_t consumed = static_cast<size_t>(std::min<uint64_t>(missing, bytes.size()));
  body.append(bytes.substr(0, consumed));
  if (consumed == missing) stage_ = Stage::kComplete;
  return consumed;
}

bool RequestReader::take_continue() { return std::exchange(owes_continue_, false); }

std::string RequestReader::origin() const {
  return stage_ == Stage::kHead ? origin_in(head_) : request_.head.origin;
}

CompleteRequest RequestReader::take() {
  stage_ = Stage::kEmpty;
  owes_continue_ = false;
  return std::exchange(request_, {});
}

}  // namespace dietmt::service
