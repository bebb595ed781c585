// Compresses text in gzip's format.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace dietmt {

/// True of FILE.gz: commands compress what they write there.
bool names_gzip(const std::string& path);

/// A stream in gzip's format, piece by piece. Equal pieces give equal bytes: it holds neither name
/// nor time.
class Deflater {
 public:
  Deflater();
  ~Deflater();
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  /// The bytes to write next. With them a reader can unpack everything up to the end of `text`.
  std::string append(std::string_view text);

  /// The last bytes of the stream.
  std::string finish();

 private:
  std::string deflated(std::string_view text, int flush);

  struct Stream;
  std::unique_ptr<Stream> stream_;
};

/// write_file_atomically() of common/files.h; compresses if the path ends in .gz.
void write_text_atomically(const std::string& path, std::string_view text);

}  // namespace dietmt
