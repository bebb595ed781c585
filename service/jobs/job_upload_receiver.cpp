#include "service/jobs/job_upload_receiver.h"

#include "service/http/form_reader.h"
#include "service/http/spooled_bytes.h"

namespace dietmt::service {
namespace {

constexpr uint64_t kMaxSettings = 1 << 16;  // in bytes

using CheckName = std::function<void(const std::string&)>;

void note(JobSettings& settings, const std::string& name, const std::string& value,
          const CheckName& check) {
  check(name);
  if (!settings.emplace(name, value).second)
    throw RequestError(name + ": the setting is given twice");
}

// Moves the form's file to the beginning of the body, which is read ahead of it, and cuts off the
// rest. Returns the file's name.
std::string extract_file(const HttpRequest& request, JobSettings& settings,
                         const CheckName& check) {
  SpooledBytes& body = *request.body;
  bool has_file = false;
  std::string name;
  uint64_t size = 0;
  const auto begin = [&](const FormPart& part) {
    if (part.name != "file") {
      check(part.name);
      return PartUse::kKeep;
    }
    if (has_file) throw RequestError("the form has more than one part \"file\"");
    has_file = true;
    name = part.file_name;
    return PartUse::kPass;
  };
  const auto append = [&](std::string_view bytes) {
    body.overwrite(size, bytes);
    size += bytes.size();
  };
  for (const auto& [setting, value] :
       read_form(request, kMaxSettings, {.begin = begin, .append = append}))
    note(settings, setting, value, check);
  if (!has_file) throw RequestError("the form has no part \"file\"");
  body.truncate(size);
  return name;
}

}  // namespace

ReceivedUpload receive_upload(const Call& call, const CheckName& check) {
  ReceivedUpload upload;
  for (const auto& [name, value] : call.query) note(upload.settings, name, value, check);
  SpooledBytes& body = *call.request->body;
  body.move_to_file();
  if (is_form(call.request->head)) {
    const std::string name = extract_file(*call.request, upload.settings, check);
    if (!name.empty()) upload.settings.emplace("name", name);  // unless a setting names it
  }
  upload.path = body.file().path();
  return upload;
}

}  // namespace dietmt::service
