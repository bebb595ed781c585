#include "service/jobs/job_upload_receiver.h"

#include "service/http/http_server.h"
#include "service/jobs/job_service.h"
#include "service/jobs/sql_database.h"

namespace dietmt::service {
namespace {

constexpr size_t kMaxSetting = 1 << 16;

// Calls `action` unless one has failed before, and keeps what it throws. Always true: a body is
// read to its end whatever happens, or the client would find its connection closed instead of an
// answer.
template <typename Action>
bool go_on(std::exception_ptr& problem, Action action) {
  if (problem) return true;
  try {
    action();
  } catch (const std::exception&) {
    problem = std::current_exception();
  }
  return true;
}

[[noreturn]] void throw_not_stored(const std::system_error& error) {
  const std::string text = "an upload cannot be stored: " + error.code().message();
  if (is_disk_full(error)) throw StorageFullError(text);
  throw Error(text);
}

}  // namespace

void JobUploadReceiver::read(const httplib::Request& request, const httplib::Response& response,
                             const httplib::ContentReader& reader) {
  for (const auto& [name, value] : request.params) settings_[name] = value;
  const bool is_form = request.is_multipart_form_data();
  if (!is_form && take_over_body()) return;
  if (!(is_form ? receive_form(reader) : receive_body(reader))) {
    if (response.status == 413) throw FileTooLargeError("the file is too large");
    throw RequestError("the body is not complete or not well-formed");
  }
  if (path_.empty()) throw RequestError("the form has no part \"file\"");
}

// A large body lies in a file already, which is the uploaded one.
bool JobUploadReceiver::take_over_body() {
  const SpooledBytes* body = HttpServer::request_body();
  if (body == nullptr || !body->in_file()) return false;
  path_ = body->file().path();
  return true;
}

bool JobUploadReceiver::receive_form(const httplib::ContentReader& reader) {
  std::exception_ptr problem;
  const bool complete = reader(
      [&](const httplib::MultipartFormData& part) {
        return go_on(problem, [&] { start_part(part); });
      },
      [&](const char* data, size_t size) { return go_on(problem, [&] {
                                             keep({data, size});
                                           }); });
  if (problem) std::rethrow_exception(problem);
  return complete;
}

bool JobUploadReceiver::receive_body(const httplib::ContentReader& reader) {
  std::exception_ptr problem;
  part_ = "file";
  go_on(problem, [&] { start_file(); });
  const bool complete = reader([&](const char* data, size_t size) {
    return go_on(problem, [&] { keep({data, size}); });
  });
  if (problem) std::rethrow_exception(problem);
  return complete;
}

void JobUploadReceiver::start_part(const httplib::MultipartFormData& part) {
  part_ = part.name;
  if (part_ != "file") {
    settings_[part_].clear();
    return;
  }
  if (!path_.empty()) throw RequestError("the form has more than one part \"file\"");
  settings_.emplace("name", part.filename);
  start_file();
}

void JobUploadReceiver::start_file() {
  try {
    file_ = NamelessFile(directory_);
  } catch (const std::system_error& error) {
    throw_not_stored(error);
  }
  path_ = file_.path();
}

void JobUploadReceiver::keep(std::string_view bytes) {
  if (part_ != "file") {
    std::string& setting = settings_[part_];
    if (setting.size() + bytes.size() > kMaxSetting)
      throw RequestError(part_ + ": the setting is too long");
    setting += bytes;
    return;
  }
  try {
    file_.write(size_, bytes);
  } catch (const std::system_error& error) {
    throw_not_stored(error);
  }
  size_ += bytes.size();
}

}  // namespace dietmt::service
