// Receives an upload for a job: a file and its settings, as a form or as body and query.
#pragma once

#include <functional>
#include <string>

#include "service/api/call.h"
#include "service/jobs/job.h"

namespace dietmt::service {

struct ReceivedUpload {
  /// A path where this process can read the file while the request lives. The file replaces the
  /// request's body, so that uploads never take twice their size on the disk.
  std::string path;
  JobSettings settings;
};

/// `check` throws RequestError for the name of an unknown setting. Throws RequestError for a
/// malformed upload too, and RequestFault if there is no space for the file.
ReceivedUpload receive_upload(const Call& call,
                              const std::function<void(const std::string&)>& check = check_setting);

}  // namespace dietmt::service
