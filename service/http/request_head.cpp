#include "service/http/request_head.h"

#include <httplib.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "service/http/request_fault.h"

namespace dietmt::service {
namespace {

constexpr int kMaxFields = 100;

bool is_token_character(char c) {
  const auto in = [c](char first, char last) { return c >= first && c <= last; };
  return in('0', '9') || in('a', 'z') || in('A', 'Z') ||
         (c != 0 && std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos);
}

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_token_character);
}

// Visible characters and bytes above ASCII; with `spaces`, also space and tab.
bool is_text(std::string_view text, std::string_view spaces) {
  return std::all_of(text.begin(), text.end(), [spaces](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte > 0x20 && byte != 0x7f) || spaces.find(c) != std::string_view::npos;
  });
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// True if the comma-separated list has the element, given in lower case.
bool list_has(std::string_view list, std::string_view element) {
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    if (lower(trimmed(list.substr(0, comma))) == element) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

// Takes a line off the front of `text`.
std::string_view take_line(std::string_view& text) {
  const size_t end = text.find("\r\n");
  if (end == std::string_view::npos) throw RequestFault(400, "A line does not end in CRLF.");
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 2);
  return line;
}

uint64_t parse_length(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) {
    throw RequestFault(413, "The body is too large.");
  }
  if (error != std::errc() || end != text.data() + text.size()) {
    throw RequestFault(400, "Content-Length is not a number.");
  }
  return value;
}

// What the header fields say to the connection layer.
struct Framing {
  bool http_1_0 = false;
  int hosts = 0;
  std::optional<uint64_t> content_length = {};
  bool chunked = false;

  // True if the field is for a handler too.
  bool read_field(const std::string& name, std::string_view value, RequestHead& head);
  void finish(RequestHead& head) const;
};

bool Framing::read_field(const std::string& name, std::string_view value, RequestHead& head) {
  if (name == "content-length") {
    if (content_length) throw RequestFault(400, "Content-Length stands there twice.");
    content_length = parse_length(value);
    return false;
  }
  if (name == "transfer-encoding") {
    if (chunked) throw RequestFault(400, "Transfer-Encoding stands there twice.");
    if (lower(value) != "chunked") {
      throw RequestFault(501, "Of transfer encodings the server knows chunked alone.");
    }
    chunked = true;
    return false;
  }
  if (name == "expect") {
    if (lower(value) != "100-continue") {
      throw RequestFault(417, "Of expectations the server knows 100-continue alone.");
    }
    head.expects_continue = !http_1_0;
    return false;
  }
  // A compressed body is as large as its sender likes once it is unpacked.
  if (name == "content-encoding" && lower(value) != "identity") {
    throw RequestFault(415, "Bodies with a Content-Encoding are not accepted.");
  }
  if (name == "connection" && list_has(value, "close")) head.keep_alive = false;
  if (name == "host") ++hosts;
  if (name == "origin") head.origin = value;
  static constexpr std::array<std::string_view, 7> kOfConnection = {
      "connection", "keep-alive", "proxy-connection", "te", "trailer", "upgrade", "http2-settings"};
  return std::find(kOfConnection.begin(), kOfConnection.end(), name) == kOfConnection.end();
}

void Framing::finish(RequestHead& head) const {
  if (chunked && content_length) {
    throw RequestFault(400, "Content-Length and Transfer-Encoding exclude each other.");
  }
  if (chunked && http_1_0) throw RequestFault(400, "HTTP/1.0 has no Transfer-Encoding.");
  if (hosts > 1 || (hosts == 0 && !http_1_0)) {
    throw RequestFault(400, "There must be one Host field.");
  }
  if (http_1_0) head.keep_alive = false;
  head.chunked = chunked;
  head.content_length = content_length.value_or(0);
}

void parse_request_line(std::string_view line, RequestHead& head, Framing& framing) {
  if (line.size() > kMaxHeadLine) throw RequestFault(414, "The request line is too long.");
  const size_t first = line.find(' ');
  const size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) {
    throw RequestFault(400, "The request line is malformed.");
  }
  head.method = line.substr(0, first);
  head.target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  if (!is_token(head.method) || head.target.empty() || !is_text(head.target, "") ||
      version.substr(0, 5) != "HTTP/") {
    throw RequestFault(400, "The request line is malformed.");
  }
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    throw RequestFault(505, "The server speaks HTTP/1.1 and HTTP/1.0.");
  }
  static constexpr std::array<std::string_view, 7> kMethods = {"GET",    "HEAD",    "POST", "PUT",
                                                               "DELETE", "OPTIONS", "PATCH"};
  if (std::find(kMethods.begin(), kMethods.end(), head.method) == kMethods.end()) {
    throw RequestFault(501, "The server does not know the method.");
  }
  framing.http_1_0 = version == "HTTP/1.0";
  head.lines.append(line).append("\r\n");
}

void parse_field(std::string_view line, RequestHead& head, Framing& framing) {
  if (line.size() > kMaxHeadLine) throw RequestFault(431, "A header field is too long.");
  const size_t colon = std::min(line.find(':'), line.size());
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = trimmed(line.substr(std::min(colon + 1, line.size())));
  if (colon == line.size() || !is_token(name) || !is_text(value, " \t")) {
    throw RequestFault(400, "A header field is malformed.");
  }
  if (framing.read_field(lower(name), value, head)) {
    head.lines.append(name).append(": ").append(value).append("\r\n");
  }
}

}  // namespace

RequestHead parse_request_head(std::string_view text) {
  RequestHead head;
  Framing framing;
  parse_request_line(take_line(text), head, framing);
  int fields = 0;
  for (std::string_view line = take_line(text); !line.empty(); line = take_line(text)) {
    if (++fields > kMaxFields) throw RequestFault(431, "There are too many header fields.");
    parse_field(line, head, framing);
  }
  framing.finish(head);
  return head;
}

std::string origin_in(std::string_view head) {
  for (size_t end = head.find("\r\n"); end != head.npos; end = head.find("\r\n")) {
    const std::string_view line = head.substr(0, end);
    const size_t colon = std::min(line.find(':'), line.size());
    if (colon < line.size() && lower(line.substr(0, colon)) == "origin")
      return std::string(trimmed(line.substr(colon + 1)));
    head.remove_prefix(end + 2);
  }
  return "";
}

std::string decoded_path(std::string_view target) {
  return httplib::detail::decode_url(std::string(target.substr(0, target.find_first_of("?#"))),
                                     false);
}

uint64_t body_limit(const std::string& path, const std::map<std::string, uint64_t>& by_prefix,
                    uint64_t otherwise) {
  size_t longest = 0;
  for (const auto& [prefix, limit] : by_prefix) {
    // The longest prefix comes last in the order of the map.
    if (prefix.size() >= longest && path.compare(0, prefix.size(), prefix) == 0) {
      longest = prefix.size();
      otherwise = limit;
    }
  }
  return otherwise;
}

}  // namespace dietmt::service
