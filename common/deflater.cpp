#include "common/deflater.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

#include "common/error.h"
#include "common/files.h"

namespace dietmt {

struct Deflater::Stream {
  z_stream z = {};
};

bool names_gzip(const std::string& path) { return path.ends_with(".gz"); }

Deflater::Deflater() : stream_(std::make_unique<Stream>()) {
  constexpr int kGzip = 16, kMemoryLevel = 8;
  if (deflateInit2(&stream_->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzip, kMemoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
}

Deflater::~Deflater() { deflateEnd(&stream_->z); }

std::string Deflater::append(std::string_view text) {
  return text.empty() ? "" : deflated(text, Z_SYNC_FLUSH);
}

std::string Deflater::finish() { return deflated({}, Z_FINISH); }

std::string Deflater::deflated(std::string_view text, int flush) {
  constexpr size_t kBlock = 1 << 16;
  z_stream& z = stream_->z;
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  std::string packed;
  do {
    // avail_in has 32 bits.
    const size_t given = std::min<size_t>(text.size(), std::numeric_limits<uInt>::max());
    if (z.avail_in == 0) {
      z.avail_in = static_cast<uInt>(given);
      text.remove_prefix(given);
    }
    const size_t old_size = packed.size();
    packed.resize(old_size + kBlock);
    z.next_out = reinterpret_cast<Bytef*>(packed.data() + old_size);
    z.avail_out = kBlock;
    // Z_BUF_ERROR: nothing was left to flush.
    if (const int code = deflate(&z, text.empty() ? flush : Z_NO_FLUSH);
        code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
      throw Error(std::string("gzip: ") + zError(code));
    packed.resize(packed.size() - z.avail_out);
  } while (z.avail_out == 0 || !text.empty());
  return packed;
}

void write_text_atomically(const std::string& path, std::string_view text) {
  if (!names_gzip(path)) return write_file_atomically(path, text);
  Deflater deflater;
  std::string packed = deflater.append(text);
  write_file_atomically(path, packed += deflater.finish());
}

}  // namespace dietmt
