#include "service/http/url.h"

#include <algorithm>
#include <boost/beast/core/string.hpp>

namespace dietmt::service {
namespace {

int hexadecimal(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

}  // namespace

std::string percent_decoded(std::string_view text, bool plus_is_space) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    const int high = i + 2 < text.size() ? hexadecimal(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? hexadecimal(text[i + 2]) : -1;
    if (text[i] == '%' && high >= 0 && low >= 0) {
      plain += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      plain += text[i] == '+' && plus_is_space ? ' ' : text[i];
    }
  }
  return plain;
}

Pairs parse_form(std::string_view text) {
  Pairs pairs;
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(pair.size() + 1, text.size()));
    if (pair.empty()) continue;
    const size_t equals = std::min(pair.find('='), pair.size());
    const std::string_view value = pair.substr(std::min(equals + 1, pair.size()));
    pairs.emplace_back(percent_decoded(pair.substr(0, equals), true), percent_decoded(value, true));
  }
  return pairs;
}

std::optional<AbsoluteTarget> absolute_target(std::string_view target) {
  const size_t scheme = target.find("://");
  if (scheme == target.npos) return std::nullopt;
  const boost::beast::string_view name(target.data(), scheme);
  if (!boost::beast::iequals(name, "http") && !boost::beast::iequals(name, "https"))
    return std::nullopt;
  target.remove_prefix(scheme + 3);
  const std::string_view authority = target.substr(0, target.find_first_of("/?#"));
  if (authority.empty()) return std::nullopt;
  target.remove_prefix(authority.size());
  std::string origin_form;
  if (!target.starts_with('/')) origin_form = '/';
  origin_form += target;
  return AbsoluteTarget{std::string(authority), std::move(origin_form)};
}

Pairs query_of(std::string_view target) {
  target = target.substr(0, target.find('#'));
  return parse_form(target.substr(std::min(target.find('?'), target.size() - 1) + 1));
}

}  // namespace dietmt::service
