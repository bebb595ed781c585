// Receives POST /v1/jobs: a file and its settings, as a form or as body and query.
#pragma once

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

/// Throws RequestError for a malformed upload or an unknown setting, and RequestFault if there is
/// no space for the file.
ReceivedUpload receive_upload(const Call& call);

}  // namespace dietmt::service
