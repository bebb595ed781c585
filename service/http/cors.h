// Cross-origin resource sharing: which pages of other sites may read the server's answers in a
// browser (--cors-origin), by https://fetch.spec.whatwg.org/#http-cors-protocol.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace dietmt::service {

class CorsPolicy {
 public:
  /// Origins such as "https://site.example"; "*": all. Empty: pages of other sites are not allowed.
  explicit CorsPolicy(std::vector<std::string> origins) : origins_(std::move(origins)) {}

  /// The header fields of an answer to a page of `origin`. An empty `origin`: the request has none,
  /// or the server did not read that far.
  std::vector<std::pair<std::string, std::string>> fields(const std::string& origin) const;

 private:
  bool has(const std::string& origin) const;

  std::vector<std::string> origins_;
};

}  // namespace dietmt::service
