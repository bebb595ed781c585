// Receives POST /v1/jobs: a file and its settings, as a form or as body and query.
#pragma once

#include <string>

#include "service/api/call.h"
#include "service/jobs/job.h"

namespace dietmt::service {

struct ReceivedUpload {
  /// A path under which this process can read the file while the request lives: it takes the place
  /// of the request's body, so that no upload needs its room on the disk twice.
  std::string path;
  JobSettings settings;
};

/// Throws RequestError for a malformed upload or an unknown setting, RequestFault if there is no
/// room for the file.
ReceivedUpload receive_upload(const Call& call);

}  // namespace dietmt::service
