// Which web pages may use a server without API keys. A browser sends requests from any page to an
// address that only its user can reach, and names the page in Origin. If an attacker rebinds the
// page's own name to the server's address, the request looks like one from the server's pages, so
// only names that cannot be rebound are accepted.
#pragma once

#include <string>
#include <vector>

#include "service/http/message.h"

namespace dietmt::service {

/// True for localhost, 127.0.0.1 and [::1], with or without a port.
bool names_loopback(const std::string& host);

/// True if Origin names a page that does not come from `host`.
bool is_foreign(const std::string& origin, const std::string& host);

class HostCheck {
 public:
  /// `names`: hosts that clients may use in addition to localhost and IP addresses; "*": any.
  /// `pages`: foreign pages that may call the server.
  HostCheck(std::vector<std::string> names, CorsPolicy pages)
      : names_(std::move(names)), pages_(std::move(pages)) {}

  /// Throws HttpError 403 for a request to another host or from another page.
  void check(const RequestHead& head) const;

 private:
  bool knows(const std::string& host) const;

  const std::vector<std::string> names_;
  const CorsPolicy pages_;
};

}  // namespace dietmt::service
