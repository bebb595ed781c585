// gzip, piece by piece.
#pragma once

#include <zlib.h>

#include <string>
#include <string_view>

namespace dietmt::service {

/// One member of a gzip stream.
class GzipWriter {
 public:
  GzipWriter();
  ~GzipWriter();
  GzipWriter(const GzipWriter&) = delete;
  GzipWriter& operator=(const GzipWriter&) = delete;

  /// Bytes of the stream that are ready now that `bytes` have come, maybe none.
  std::string add(std::string_view bytes) { return deflated(bytes, Z_NO_FLUSH); }
  /// The rest of them. To be called once, at the end.
  std::string finish() { return deflated({}, Z_FINISH); }

 private:
  std::string deflated(std::string_view bytes, int flush);

  z_stream stream_ = {};
};

}  // namespace dietmt::service
