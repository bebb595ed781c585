// The head of a request: checked, and written again without what concerns the connection alone.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace dietmt::service {

/// A request line or header field may have so many bytes: cpp-httplib refuses little more.
constexpr size_t kMaxHeadLine = 8000;

struct RequestHead {
  std::string method;
  std::string target;  // as sent: path and query, percent-encoded
  std::string origin;  // of the page that a browser asks for; empty: none is named
  bool keep_alive = true;
  bool expects_continue = false;
  bool chunked = false;
  uint64_t content_length = 0;  // 0 if chunked
  // Request line and header fields for the handler, each ended by CRLF. Without Connection,
  // Content-Length, Transfer-Encoding, Expect and their like, whose work is done here.
  std::string lines;
};

/// `head`: up to and with the empty line. Throws RequestFault: 400, 414, 415, 417, 431, 501 or 505.
/// Refused are a body with two lengths or both framings, bare CR or LF, folded lines, spaces before
/// a colon, a missing Host: whatever two readers could understand in two ways.
RequestHead parse_request_head(std::string_view head);

/// The origin in a head of which only a part has come, or that is malformed.
std::string origin_in(std::string_view partial_head);

/// The path of a target, decoded by the function that cpp-httplib routes by.
std::string decoded_path(std::string_view target);

/// The limit for the path: of the longest prefix in `by_prefix` that it begins with, else
/// `otherwise`.
uint64_t body_limit(const std::string& path, const std::map<std::string, uint64_t>& by_prefix,
                    uint64_t otherwise);

}  // namespace dietmt::service
