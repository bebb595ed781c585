#include "fetching/http_client.h"

#include <curl/curl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <array>
#include <charconv>
#include <chrono>
#include <exception>
#include <filesystem>
#include <thread>

#include "common/version.h"

namespace dietmt::fetching {
namespace {

constexpr int64_t kPartialContent = 206;

struct HeaderList {
  ~HeaderList() { curl_slist_free_all(all); }
  void add(const std::string& line) { all = curl_slist_append(all, line.c_str()); }
  curl_slist* all = nullptr;
};

int64_t status_of(CURL* curl) {
  long status = 0;  // NOLINT(google-runtime-int): the type of libcurl
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  return status;
}

// A header of the last answer, after redirects; empty: none.
std::string header(CURL* curl, const char* name) {
  curl_header* found = nullptr;
  if (curl_easy_header(curl, name, 0, CURLH_HEADER, -1, &found) != CURLHE_OK) return {};
  return found->value;
}

// The number at the start of the text; -1: none.
int64_t number_at(std::string_view text) {
  int64_t value = -1;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// "bytes 100-199/200" holds the values 100 and 200; the size may be "*", which is -1 here.
void read_content_range(std::string_view text, HttpAnswer& answer) {
  constexpr std::string_view kUnit = "bytes ";
  answer.first = text.starts_with(kUnit) ? number_at(text.substr(kUnit.size())) : -1;
  const size_t slash = text.find('/');
  answer.size = slash == text.npos ? -1 : number_at(text.substr(slash + 1));
}

HttpAnswer answer_of(CURL* curl) {
  HttpAnswer answer;
  if (status_of(curl) == kPartialContent) {
    read_content_range(header(curl, "Content-Range"), answer);
  } else {
    curl_off_t size = -1;
    curl_easy_getinfo(curl, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &size);
    answer.size = size;
  }
  const std::string tag = header(curl, "ETag");
  answer.validator = tag.starts_with('"') ? tag : header(curl, "Last-Modified");
  return answer;
}

// The certificates of the authorities where libcurl's own path, its distribution's, has none, as in
// the portable archive on other distributions; null: libcurl's own.
const char* authorities() {
  namespace fs = std::filesystem;
  const char* const own = curl_version_info(CURLVERSION_NOW)->cainfo;
  if (own == nullptr || fs::exists(own)) return nullptr;
  for (const char* const file :
       {"/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"})
    if (fs::exists(file)) return file;
  return nullptr;
}

// Whether the same request may succeed later.
bool may_pass(CURLcode code, int64_t status) {
  switch (code) {
    case CURLE_HTTP_RETURNED_ERROR:
      return fetching::may_pass(status);
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_PARTIAL_FILE:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return true;
    default:
      return false;
  }
}

// libcurl's words for a transfer that failed.
std::string problem_of(CURLcode code, const char* reason) {
  return reason[0] != '\0' ? reason : curl_easy_strerror(code);
}

void start_libcurl() {
  static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (started != CURLE_OK) throw Error("libcurl cannot be started");
}

}  // namespace

bool is_http_url(std::string_view text) {
  return text.starts_with("https://") || text.starts_with("http://");
}

bool may_pass(int64_t status) {
  constexpr int64_t kTimeout = 408, kTooMany = 429, kServerErrors = 500;
  return status == kTimeout || status == kTooMany || status >= kServerErrors;
}

// One request. An exception must not cross libcurl.
struct HttpClient::Transfer {
  CURL* curl;
  const std::function<void(const HttpAnswer&)>& start;
  const std::function<void(std::string_view)>& take;
  bool started = false;
  std::exception_ptr failure = {};

  void begin() {
    if (!std::exchange(started, true)) start(answer_of(curl));
  }

  static size_t take_piece(char* bytes, size_t, size_t count, void* self) {
    auto& transfer = *static_cast<Transfer*>(self);
    try {
      transfer.begin();
      transfer.take({bytes, count});
      return count;
    } catch (...) {
      transfer.failure = std::current_exception();
      return CURL_WRITEFUNC_ERROR;
    }
  }
};

HttpClient::HttpClient(HttpOptions options)
    : options_(options), curl_(nullptr, [](void* curl) { curl_easy_cleanup(curl); }) {
  start_libcurl();
  curl_.reset(curl_easy_init());
  if (!curl_) throw std::bad_alloc();
}

HttpClient::~HttpClient() = default;

void HttpClient::prepare(const std::string& url, char* reason) {
  constexpr long kConnectSeconds = 30;  // NOLINT(google-runtime-int)
  CURL* const curl = curl_.get();
  curl_easy_reset(curl);
  curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  if (const char* const file = authorities()) curl_easy_setopt(curl, CURLOPT_CAINFO, file);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
  curl_easy_setopt(curl, CURLOPT_USERAGENT, version_line().c_str());
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, reason);
}

void HttpClient::get(const std::string& url, const HttpRange& range,
                     const std::function<void(const HttpAnswer&)>& start,
                     const std::function<void(std::string_view)>& take) {
  constexpr long kRedirects = 10;  // NOLINT(google-runtime-int)
  CURL* const curl = curl_.get();
  std::array<char, CURL_ERROR_SIZE> reason{};
  prepare(url, reason.data());
  Transfer transfer{curl, start, take};
  HeaderList headers;
  curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR,
                   url.starts_with("https:") ? "https" : "http,https");
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(curl, CURLOPT_MAXREDIRS, kRedirects);
  curl_easy_setopt(curl, CURLOPT_FAILONERROR, 1L);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME,
                   static_cast<long>(options_.stall_seconds));  // NOLINT(google-runtime-int)
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &Transfer::take_piece);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &transfer);
  // Not CURLOPT_RESUME_FROM: it refuses a whole file, which is what a changed one comes as.
  const std::string from = std::to_string(range.first) + "-";
  if (range.first > 0) {
    curl_easy_setopt(curl, CURLOPT_RANGE, from.c_str());
    if (!range.validator.empty()) headers.add("If-Range: " + range.validator);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.all);
  }
  const CURLcode code = curl_easy_perform(curl);
  if (transfer.failure) std::rethrow_exception(transfer.failure);
  if (code == CURLE_OK) return transfer.begin();
  const int64_t status = status_of(curl);
  throw HttpError(url + ": " + problem_of(code, reason.data()), status, may_pass(code, status));
}

HttpReply HttpClient::post(const HttpPost& request) {
  CURL* const curl = curl_.get();
  std::array<char, CURL_ERROR_SIZE> reason{};
  prepare(request.url, reason.data());
  HttpReply reply;
  const std::function<void(const HttpAnswer&)> start = [](const HttpAnswer&) {};
  const std::function<void(std::string_view)> take = [&](std::string_view piece) {
    if (reply.body.size() + piece.size() > request.most_bytes)
      throw HttpError(
          fmt::format("{}: sends more than the {} bytes allowed", request.url, request.most_bytes),
          0, false);
    reply.body += piece;
  };
  Transfer transfer{curl, start, take};
  HeaderList headers;
  for (const std::string& one : request.headers) headers.add(one);
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.all);
  curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
  curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request.body.data());
  curl_easy_setopt(curl, CURLOPT_TIMEOUT,
                   static_cast<long>(request.seconds));  // NOLINT(google-runtime-int)
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &Transfer::take_piece);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &transfer);
  const CURLcode code = curl_easy_perform(curl);
  if (transfer.failure) std::rethrow_exception(transfer.failure);
  reply.status = status_of(curl);
  if (code != CURLE_OK)
    throw HttpError(request.url + ": " + problem_of(code, reason.data()), 0, may_pass(code, 0));
  curl_off_t wait = 0;
  curl_easy_getinfo(curl, CURLINFO_RETRY_AFTER, &wait);
  reply.retry_after = wait;
  return reply;
}

void HttpClient::with_retries(const std::function<void()>& request,
                              const std::function<int64_t()>& progress) const {
  int64_t reached = progress();
  for (int64_t failures = 0;;) {
    try {
      return request();
    } catch (const HttpError& error) {
      if (progress() > reached) failures = 0;
      reached = progress();
      if (!error.may_pass() || failures == options_.retries) throw;
      const auto pause = std::chrono::seconds(int64_t{1} << std::min<int64_t>(failures, 5));
      ++failures;
      spdlog::warn("{}; trying again in {} s", error.what(), pause.count());
      std::this_thread::sleep_for(pause);
    }
  }
}

std::string HttpClient::text(const std::string& url, size_t most) {
  std::string text;
  const auto request = [&] {
    get(
        url, {}, [&](const HttpAnswer&) { text.clear(); },
        [&](std::string_view piece) {
          if (text.size() + piece.size() > most)
            throw Error(fmt::format("{}: sends more than the {} bytes allowed", url, most));
          text += piece;
        });
  };
  with_retries(request, [] { return 0; });
  return text;
}

}  // namespace dietmt::fetching
