#include "service/page/page.h"

#include <httplib.h>

#include <string>

#include "data/corpus/corpus_encoding.h"

namespace dietmt::service {
namespace {

// No inline scripts or styles, nothing from other origins, and no framing by other pages.
constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const char* media_type(std::string_view name) {
  if (name.ends_with(".html")) return "text/html; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  if (name.ends_with(".svg")) return "image/svg+xml";
  return "text/javascript; charset=utf-8";
}

// Browsers revalidate every file, so after an update no page mixes old files with new ones.
void answer(const PageFile& file, const std::string& tag, const httplib::Request& request,
            httplib::Response& response) {
  response.set_header("ETag", tag);
  response.set_header("Cache-Control", "no-cache");
  response.set_header("Content-Security-Policy", kPolicy);
  if (request.get_header_value("If-None-Match") == tag) {
    response.status = 304;
    return;
  }
  response.set_content(file.content.data(), file.content.size(), media_type(file.name));
}

// Routes are regular expressions.
std::string pattern_of(std::string_view name) {
  std::string pattern;
  for (const char letter : name) {
    if (letter == '.') pattern += '\\';
    pattern += letter;
  }
  return pattern;
}

}  // namespace

void register_page(httplib::Server& server) {
  for (const PageFile& file : page_files()) {
    const std::string tag = '"' + std::to_string(data::hash_of(file.content)) + '"';
    const std::string path = file.name == "index.html" ? "/" : "/page/" + pattern_of(file.name);
    server.Get(path, [&file, tag](const httplib::Request& request, httplib::Response& response) {
      answer(file, tag, request, response);
    });
  }
}

}  // namespace dietmt::service
