// Compresses text in gzip's format.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace dietmt {

/// True for FILE.gz, which commands write compressed.
bool names_gzip(const std::string& path);

/// A gzip stream, written piece by piece. It stores no name or time, so that equal input gives
/// equal bytes.
class Deflater {
 public:
  Deflater();
  ~Deflater();
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  /// Returns the bytes to write next. They let a reader unpack everything up to the end of `text`.
  std::string append(std::string_view text);

  /// The last bytes of the stream.
  std::string finish();

 private:
  std::string deflated(std::string_view text, int flush);

  struct Stream;
  std::unique_ptr<Stream> stream_;
};

/// Like write_file_atomically() in common/files.h, but compresses if the path ends in .gz.
void write_text_atomically(const std::string& path, std::string_view text);

}  // namespace dietmt
