#include "service/page/page.h"

#include <string>

#include "data/corpus/corpus_encoding.h"

namespace dietmt::service {
namespace {

// No inline scripts or styles, nothing from other origins, and no framing by other pages.
constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const char* media_type_of(std::string_view name) {
  if (name.ends_with(".html")) return "text/html; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  if (name.ends_with(".svg")) return "image/svg+xml";
  return "text/javascript; charset=utf-8";
}

// The page of the translator and the page about the API, whose addresses are those of
// LibreTranslate.
std::string path_of(std::string_view name) {
  if (name == "index.html") return "/";
  return name == "docs.html" ? "/docs" : "/page/" + std::string(name);
}

// Relative addresses in a page need its path without a slash at the end.
bool has_slash_at_end(const std::string& path) { return path.size() > 1 && path.ends_with('/'); }

// Browsers revalidate every file, so that no page mixes old and new files after an update.
Answer answer(const PageFile& file, const std::string& tag, const Call& call) {
  const std::string& path = call.request->head.path;
  if (file.name == "docs.html" && has_slash_at_end(path))
    return {.status = 308, .headers = {{"Location", "../docs"}}};
  Answer answer{
      .type = media_type_of(file.name),
      .headers = {
          {"ETag", tag}, {"Cache-Control", "no-cache"}, {"Content-Security-Policy", kPolicy}}};
  if (call.request->head.field("If-None-Match") == tag)
    answer.status = 304;
  else
    answer.body = file.content;
  return answer;
}

}  // namespace

std::vector<Route> page_routes() {
  std::vector<Route> routes;
  for (const PageFile& file : page_files()) {
    const std::string tag = '"' + std::to_string(data::hash_of(file.content)) + '"';
    routes.push_back({"GET", path_of(file.name),
                      [&file, tag](const Call& call) { return answer(file, tag, call); },
                      Key::kNone});
  }
  return routes;
}

}  // namespace dietmt::service
