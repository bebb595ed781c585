#include "service/http/request_reader.h"

#include <algorithm>
#include <array>
#include <boost/beast/core/buffers_range.hpp>
#include <boost/beast/http/parser.hpp>
#include <limits>
#include <utility>

#include "common/trimmed.h"
#include "service/http/message.h"
#include "service/http/url.h"

namespace dietmt::service {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;
using beast::error_code;

constexpr int kMaxFields = 100;
constexpr size_t kMaxChunkFraming = 16384;  // extensions, trailer fields

// A body of Beast's parser that goes to SpooledBytes.
struct SpooledBody {
  using value_type = SpooledBytes*;

  class reader {
   public:
    template <bool is_request, typename Fields>
    reader(http::header<is_request, Fields>& /*head*/, value_type& body) : body_(body) {}
    void init(const boost::optional<uint64_t>& /*length*/, error_code& error) { error = {}; }
    template <typename Buffers>
    size_t put(const Buffers& buffers, error_code& error) {
      error = {};
      for (const boost::asio::const_buffer part : beast::buffers_range_ref(buffers))
        body_->append({static_cast<const char*>(part.data()), part.size()});
      return beast::buffer_bytes(buffers);
    }
    void finish(error_code& error) { error = {}; }

   private:
    value_type& body_;
  };
};

std::string plain(beast::string_view text) { return {text.data(), text.size()}; }

// Maximum body size, and advice for larger ones.
struct BodyLimit {
  uint64_t bytes = 0;
  std::string advice;

  [[noreturn]] void fail() const {
    throw RequestFault(413, "The body is larger than " + std::to_string(bytes) + " bytes." +
                                (advice.empty() ? "" : " " + advice));
  }
};

// Beast allows any number of fields, lines of any length and folded fields; we do not.
void check_lines(std::string_view head) {
  for (int lines = 0; head.size() > 2; ++lines) {
    const std::string_view line = head.substr(0, head.find("\r\n"));
    head.remove_prefix(line.size() + 2);
    if (line.size() > kMaxHeadLine) {
      throw lines == 0 ? RequestFault(414, "The request line is too long.")
                       : RequestFault(431, "A header field is too long.");
    }
    if (lines > kMaxFields) throw RequestFault(431, "There are too many header fields.");
    if (line.front() == ' ' || line.front() == '\t')
      throw RequestFault(400, "A header field is folded.");
  }
}

// HTTP/1.2 and later are read as HTTP/1.1 (RFC 9110, section 2.5).
void use_known_version(std::string& head) {
  constexpr std::string_view kVersion = " HTTP/1.";
  const size_t end = head.find("\r\n");
  if (end == head.npos || end <= kVersion.size()) return;
  const size_t minor = end - 1;
  const bool is_version = head.compare(minor - kVersion.size(), kVersion.size(), kVersion) == 0;
  if (is_version && head[minor] >= '2' && head[minor] <= '9') head[minor] = '1';
}

// The value of the first such field in a head that is incomplete or malformed.
std::string value_in(std::string_view head, std::string_view name) {
  for (size_t end = head.find("\r\n"); end != head.npos; end = head.find("\r\n")) {
    const std::string_view line = head.substr(0, end);
    const size_t colon = line.find(':');
    if (colon != line.npos && beast::iequals({line.data(), colon}, {name.data(), name.size()})) {
      return std::string(trimmed(line.substr(colon + 1), " \t"));
    }
    head.remove_prefix(end + 2);
  }
  return "";
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

RequestFault head_fault(const error_code& error, std::string_view head) {
  const std::string_view line = head.substr(0, head.find("\r\n"));
  const std::string_view version = line.substr(line.rfind(' ') + 1);
  if (error == http::error::bad_version && version.starts_with("HTTP/") && version != "HTTP/1.1" &&
      version != "HTTP/1.0")
    return {505, "The server speaks HTTP/1.1 and HTTP/1.0."};
  if (error == http::error::bad_content_length) {
    const std::string length = value_in(head, "Content-Length");
    if (is_number(length) && length.size() > 19) return {413, "The body is too large."};
  }
  return {400, "The head of the request is malformed: " + error.message() + "."};
}

// Fields for the connection, not for handlers.
bool is_of_connection(http::field name) {
  static constexpr std::array kOfConnection = {http::field::connection,
                                               http::field::content_length,
                                               http::field::expect,
                                               http::field::keep_alive,
                                               http::field::transfer_encoding,
                                               http::field::proxy_connection,
                                               http::field::te,
                                               http::field::trailer,
                                               http::field::upgrade,
                                               http::field::http2_settings};
  return std::find(kOfConnection.begin(), kOfConnection.end(), name) != kOfConnection.end();
}

void check_field(http::field name, beast::string_view value) {
  if (name == http::field::content_length && !is_number({value.data(), value.size()}))
    throw RequestFault(400, "Content-Length is not a number.");
  if (name == http::field::transfer_encoding && !beast::iequals(value, "chunked"))
    throw RequestFault(501, "Unsupported Transfer-Encoding; the server accepts only chunked.");
  if (name == http::field::expect && !beast::iequals(value, "100-continue"))
    throw RequestFault(417, "Unsupported Expect; the server knows only 100-continue.");
  // A compressed body can unpack to any size.
  if (name == http::field::content_encoding && !beast::iequals(value, "identity"))
    throw RequestFault(415, "Bodies with a Content-Encoding are not accepted.");
}

void check_counts(const http::fields& fields, bool http_1_0) {
  if (fields.count(http::field::content_length) > 1)
    throw RequestFault(400, "Duplicate Content-Length header.");
  if (fields.count(http::field::transfer_encoding) > (http_1_0 ? 0 : 1))
    throw RequestFault(400, http_1_0 ? "HTTP/1.0 has no Transfer-Encoding."
                                     : "Duplicate Transfer-Encoding header.");
  const size_t hosts = fields.count(http::field::host);
  if (hosts > 1 || (hosts == 0 && !http_1_0))
    throw RequestFault(400, "There must be one Host field.");
}

// Methods that the router answers with 405. Beast does not know QUERY.
bool is_known(http::verb method, beast::string_view name) {
  using http::verb;
  static constexpr std::array kMethods = {verb::get,     verb::head,    verb::post,  verb::put,
                                          verb::delete_, verb::options, verb::patch, verb::trace};
  return name == "QUERY" || std::find(kMethods.begin(), kMethods.end(), method) != kMethods.end();
}

BodyLimit body_limit(const std::string& path, const ReadLimits& limits) {
  BodyLimit limit{limits.body, limits.large_body_advice};
  // The longest prefix comes last in map order.
  for (const auto& [prefix, bytes] : limits.body_below)
    if (path.starts_with(prefix)) limit = {bytes, ""};
  return limit;
}

// HTTP/1.2 and later 1.x versions are treated as 1.1, the highest that the server supports (RFC
// 9110, section 2.5).
void lower_version(std::string& head) {
  const size_t end = head.find("\r\n");
  constexpr std::string_view kMajor = " HTTP/1.";
  if (end == head.npos || end <= kMajor.size()) return;
  const size_t minor = end - 1;
  if (head.compare(minor - kMajor.size(), kMajor.size(), kMajor) == 0 && head[minor] >= '2' &&
      head[minor] <= '9')
    head[minor] = '1';
}

}  // namespace

class RequestReader::Parser {
 public:
  explicit Parser(std::string_view given) {
    std::string head(given);
    check_lines(head);
    use_known_version(head);
    parser_.eager(true);
    parser_.header_limit(static_cast<uint32_t>(head.size() + 1));
    parser_.body_limit(std::numeric_limits<uint64_t>::max());
    error_code error;
    parser_.put(boost::asio::buffer(head), error);
    if (error) throw head_fault(error, head);
  }

  RequestHead head() const {
    const auto& message = parser_.get();
    if (!is_known(message.method(), message.method_string()))
      throw RequestFault(501, "Unknown request method.");
    RequestHead head{.method = plain(message.method_string()),
                     .target = plain(message.target()),
                     .http_1_0 = message.version() == 10};
    // The authority of an absolute target replaces the Host field (RFC 9112, section 3.2.2).
    auto absolute = absolute_target(head.target);
    if (absolute) head.target = std::move(absolute->origin_form);
    head.path = percent_decoded(head.raw_path(), false);
    for (const auto& field : message) {
      check_field(field.name(), field.value());
      if (absolute && field.name() == http::field::host)
        head.fields.emplace_back("Host", absolute->authority);
      else if (!is_of_connection(field.name()))
        head.fields.emplace_back(plain(field.name_string()), plain(field.value()));
    }
    check_counts(message, head.http_1_0);
    head.keep_alive = !head.http_1_0 && parser_.keep_alive();
    head.expects_continue = !head.http_1_0 && message.count(http::field::expect) > 0;
    head.chunked = parser_.chunked();
    head.content_length = parser_.content_length().value_or(0);
    return head;
  }

  void begin_body(SpooledBytes& body, BodyLimit limit) {
    parser_.get().body() = &body;
    parser_.body_limit(limit.bytes);
    limit_ = std::move(limit);
    parser_.on_chunk_header(on_chunk_);
  }

  bool done() const { return parser_.is_done(); }

  size_t feed(std::string_view bytes) {
    const size_t kept = pending_.size();
    const size_t given = bytes.size();
    if (kept > 0) bytes = pending_.append(bytes);
    error_code error;
    const size_t used = parser_.put(boost::asio::buffer(bytes), error);
    if (error == http::error::body_limit) limit_.fail();
    if (error && error != http::error::need_more) malformed_chunk();
    if (done()) return used - kept;
    check_framing(bytes.substr(used));
    pending_ = std::string(bytes.substr(used));
    return given;
  }

 private:
  [[noreturn]] static void malformed_chunk() {
    throw RequestFault(400, "The chunked body is malformed.");
  }

  // Checks part of a chunk's header or of the trailer. Beast checks them only when they are
  // complete.
  void check_framing(std::string_view part) const {
    if (part.size() > kMaxChunkFraming) too_much_framing();
    const size_t size_at = has_chunk_ ? 2 : 0;  // after the CRLF that ends the data
    for (size_t i = 0; i < part.size(); ++i) {
      if (i < size_at && part[i] != "\r\n"[i]) malformed_chunk();
      if (part[i] == '\n' && (i == 0 || part[i - 1] != '\r')) malformed_chunk();
    }
    const size_t size_end = part.find_first_not_of("0123456789abcdefABCDEF", size_at);
    constexpr std::string_view kBehindSize = "; \t\r";
    if (size_end != part.npos && kBehindSize.find(part[size_end]) == part.npos) malformed_chunk();
  }

  [[noreturn]] static void too_much_framing() {
    throw RequestFault(431, "Chunk extensions or trailer fields are too long.");
  }

  http::request_parser<SpooledBody> parser_;
  BodyLimit limit_;
  std::string pending_;  // the start of a chunk's header or of the trailer
  bool has_chunk_ = false;
  size_t extension_bytes_ = 0;
  std::function<void(uint64_t, beast::string_view, error_code&)> on_chunk_ =
      [this](uint64_t /*size*/, beast::string_view extensions, error_code& /*error*/) {
        has_chunk_ = true;
        extension_bytes_ += extensions.size();
        if (extension_bytes_ > kMaxChunkFraming) too_much_framing();
      };
};

RequestReader::RequestReader(const ReadLimits& limits, SpoolBudget& budget, HttpHandler* handler,
                             std::string client)
    : limits_(limits), budget_(budget), handler_(handler), client_(std::move(client)) {}

RequestReader::~RequestReader() = default;

size_t RequestReader::feed(std::string_view bytes) {
  size_t consumed = 0;
  if (stage_ == Stage::kEmpty) {
    // An empty line may precede a request (RFC 9112, section 2.2).
    consumed = std::min(bytes.find_first_not_of("\r\n"), bytes.size());
    if (consumed < bytes.size()) stage_ = Stage::kHead;
  }
  if (stage_ == Stage::kHead) consumed += feed_head(bytes.substr(consumed));
  if (stage_ != Stage::kBody || consumed == bytes.size()) return consumed;
  owes_continue_ = false;
  consumed += parser_->feed(bytes.substr(consumed));
  if (parser_->done()) {
    parser_.reset();
    stage_ = Stage::kComplete;
  }
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
  begin_body(end + 4);
  head_ = {};
  return end + 4 - before;
}

// Rejects garbage as soon as possible, so that a client that speaks TLS need not wait for a
// timeout.
void RequestReader::check_head_so_far() const {
  if (head_.find('\n') == std::string::npos && head_.size() > kMaxHeadLine)
    throw RequestFault(414, "The request line is too long.");
  if (head_.size() > limits_.head) throw RequestFault(431, "The header fields are too long.");
  if (head_.front() < 'A' || head_.front() > 'Z')
    throw RequestFault(400, "This is not an HTTP request.");
}

void RequestReader::begin_body(size_t head_size) {
  if (head_size > limits_.head) throw RequestFault(431, "The header fields are too long.");
  lower_version(head_);
  auto parser = std::make_unique<Parser>(std::string_view(head_).substr(0, head_size));
  request_ = std::make_unique<HttpRequest>(
      HttpRequest{.head = parser->head(), .body = std::make_unique<SpooledBytes>(budget_)});
  const RequestHead& head = request_->head;
  stage_ = head.has_body() ? Stage::kBody : Stage::kComplete;
  if (!head.has_body()) return;
  const BodyLimit limit = body_limit(head.path, limits_);
  if (head.content_length > limit.bytes) limit.fail();
  if (handler_ != nullptr) {
    Admission admission = handler_->admit(head, client_);
    if (admission.refusal) throw Refusal{std::move(*admission.refusal)};
    if (!admission.may_spool) request_->body->stay_in_memory();
  }
  owes_continue_ = head.expects_continue;
  parser->begin_body(*request_->body, limit);
  parser_ = std::move(parser);
}

bool RequestReader::take_continue() { return std::exchange(owes_continue_, false); }

RequestHead RequestReader::head() const {
  if (request_) return request_->head;
  RequestHead head;
  for (const char* name : {"Origin", "X-Request-ID"})
    head.fields.emplace_back(name, value_in(head_, name));
  return head;
}

HttpRequest RequestReader::take() {
  stage_ = Stage::kEmpty;
  owes_continue_ = false;
  return std::move(*std::exchange(request_, nullptr));
}

}  // namespace dietmt::service
