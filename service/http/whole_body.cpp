#include "service/http/whole_body.h"

#include <string>
#include <utility>

namespace dietmt::service {
namespace {

bool read_files(const httplib::ContentReader& reader, httplib::MultipartFormDataMap& files) {
  auto current = files.end();
  return reader(
      [&](const httplib::MultipartFormData& file) {
        current = files.emplace(file.name, file);
        return true;
      },
      [&](const char* data, size_t size) {
        current->second.content.append(data, size);
        return true;
      });
}

bool read_body(const httplib::ContentReader& reader, std::string& body) {
  return reader([&](const char* data, size_t size) {
    body.append(data, size);
    return true;
  });
}

}  // namespace

httplib::Server::HandlerWithContentReader with_whole_body(httplib::Server::Handler handler) {
  return [handler = std::move(handler)](const httplib::Request& request,
                                        httplib::Response& response,
                                        const httplib::ContentReader& reader) {
    httplib::Request whole = request;
    const bool multipart = request.is_multipart_form_data();
    // What is malformed has its status already.
    if (!(multipart ? read_files(reader, whole.files) : read_body(reader, whole.body))) return;
    if (request.get_header_value("Content-Type").rfind("application/x-www-form-urlencoded", 0) ==
        0) {
      httplib::detail::parse_query_text(whole.body, whole.params);
    }
    handler(whole, response);
  };
}

}  // namespace dietmt::service
