#include "service/api/host_check.h"

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <boost/beast/core/string.hpp>

#include "service/api/call.h"

namespace dietmt::service {
namespace {

// Without the port, and without the brackets around an IPv6 address.
std::string without_port(const std::string& host) {
  if (!host.starts_with('[')) return host.substr(0, host.find(':'));
  const size_t end = host.find(']');
  const bool is_whole = end != host.npos && (end + 1 == host.size() || host[end + 1] == ':');
  return is_whole ? host.substr(1, end - 1) : host;
}

bool is_address(const std::string& name) {
  boost::system::error_code error;
  boost::asio::ip::make_address(name, error);
  return !error;
}

}  // namespace

bool names_loopback(const std::string& host) {
  const std::string name = without_port(host);
  return boost::beast::iequals(name, "localhost") || name == "127.0.0.1" || name == "::1";
}

bool is_foreign(const std::string& origin, const std::string& host) {
  return !origin.empty() && origin != "http://" + host && origin != "https://" + host;
}

// Addresses cannot be rebound. Browsers always send a host; only HTTP/1.0 clients send none.
bool HostCheck::knows(const std::string& host) const {
  const std::string name = without_port(host);
  return host.empty() || names_loopback(host) || is_address(name) ||
         std::any_of(names_.begin(), names_.end(), [&](const std::string& known) {
           return known == "*" || boost::beast::iequals(known, name);
         });
}

void HostCheck::check(const RequestHead& head) const {
  const std::string& host = head.field("Host");
  if (!knows(host))
    throw HttpError(403, "unknown host \"" + host +
                             "\": a server without API keys answers only to localhost, IP "
                             "addresses and the names in --allowed-host");
  const std::string& origin = head.field("Origin");
  if (is_foreign(origin, host) && !pages_.allows(origin))
    throw HttpError(
        403, "pages of \"" + origin + "\" may not call this server; allow them with --cors-origin");
}

}  // namespace dietmt::service
