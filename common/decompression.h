// Decompresses gzip, bzip2, xz and zstd, recognised by their first bytes.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace dietmt {

/// Decompresses a stream, which may have several members, piece by piece.
class Decompressor {
 public:
  virtual ~Decompressor() = default;

  /// Decompresses `input` and appends the result. Returns a problem, or "".
  std::string append(std::string_view input, std::string& output);

  /// True inside a member: a stream that ends here was cut short.
  bool inside_member() const { return inside_member_; }

  virtual const char* format() const = 0;

 protected:
  struct Step {
    size_t written = 0;
    bool ended = false;  // of the member
    std::string problem = {};
  };
  /// Consumes a prefix of `input` and writes at most `room` bytes to `output`. After the end of a
  /// member it starts the next one.
  virtual Step step(std::string_view& input, char* output, size_t room) = 0;

 private:
  bool inside_member_ = false;
};

/// A decompressor for data that starts with `beginning`; nullptr if that is not compressed.
std::unique_ptr<Decompressor> decompressor_of(std::string_view beginning);

/// The number of bytes needed to recognise a format.
inline constexpr size_t kMagicBytes = 10;

/// Why `beginning` is not UTF-8 text and what to do ("UTF-16 text; ..."), or "" if it may be text.
std::string reason_not_text(std::string_view beginning);

/// Whether `beginning` is too short to tell what it is.
bool is_start_of_magic(std::string_view beginning);

}  // namespace dietmt
