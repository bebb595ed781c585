// Reads the bytes of plain or compressed files (recognised by content, not by name), or of `-`.
// common/text_io.h reads lines.
#pragma once

#include <memory>
#include <string>

#include "common/decompression.h"
#include "common/files.h"

namespace dietmt {

class ByteReader {
 public:
  /// `path`: a file, or "-" (standard input). Throws DataError if it cannot be opened.
  explicit ByteReader(const std::string& path);

  /// The name in messages.
  const std::string& name() const { return name_; }

  /// Appends what can be read now, which may be nothing; sets at_end() at the end. Returns a
  /// problem of reading or decompressing, or "". Call it no more after a problem.
  std::string append_to(std::string& text);

  bool at_end() const { return at_end_; }

 private:
  std::string read_raw();
  std::string recognise_format();

  std::string name_;
  FileDescriptor file_;
  int number_;                                  // of the file, or standard input
  std::unique_ptr<Decompressor> decompressor_;  // if the file is compressed
  bool format_known_ = false;
  std::string raw_;  // bytes read but not yet decompressed
  bool at_end_ = false;
};

}  // namespace dietmt
