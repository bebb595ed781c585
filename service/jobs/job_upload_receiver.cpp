#include "service/jobs/job_upload_receiver.h"

#include "service/jobs/sql_database.h"

namespace dietmt::service {
namespace {

constexpr size_t kMaxSetting = 1 << 16;

[[noreturn]] void throw_not_stored(const std::system_error& error) {
  const std::string text = "an upload cannot be stored: " + error.code().message();
  if (is_disk_full(error)) throw StorageFullError(text);
  throw Error(text);
}

}  // namespace

void JobUploadReceiver::read(const Call& call) {
  for (const auto& [name, value] : call.query) {
    note_setting(name);
    settings_[name] = value;
  }
  const SpooledBytes& body = *call.request->body;
  if (is_form(call.request->head)) {
    read_form(*call.request, {.begin = [&](const FormPart& part) { start_part(part); },
                              .append = [&](std::string_view bytes) { keep(bytes); }});
  } else if (body.in_file()) {
    path_ = body.file().path();
  } else {
    copy(body);
  }
  if (path_.empty()) throw RequestError("the form has no part \"file\"");
}

void JobUploadReceiver::note_setting(const std::string& name) {
  if (!given_.insert(name).second) throw RequestError(name + ": the setting is given twice");
}

void JobUploadReceiver::copy(const SpooledBytes& body) {
  part_ = "file";
  start_file();
  std::string bytes(body.size(), '\0');
  body.read(0, bytes.data(), bytes.size());
  keep(bytes);
}

void JobUploadReceiver::start_part(const FormPart& part) {
  part_ = part.name;
  if (part_ != "file") {
    note_setting(part_);
    settings_[part_].clear();  // `name` may be that of the file
    return;
  }
  if (!path_.empty()) throw RequestError("the form has more than one part \"file\"");
  settings_.emplace("name", part.file_name);
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
