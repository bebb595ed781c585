#include "common/deflater.h"

#include <zlib.h>

#include <new>

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
  z.avail_in = static_cast<uInt>(text.size());
  std::string packed;
  do {
    const size_t old_size = packed.size();
    packed.resize(old_size + kBlock);
    z.next_out = reinterpret_cast<Bytef*>(packed.data() + old_size);
    z.avail_out = kBlock;
    deflate(&z, flush);
    packed.resize(packed.size() - z.avail_out);
  } while (z.avail_out == 0);
  return packed;
}

void write_text_atomically(const std::string& path, std::string_view text) {
  if (!names_gzip(path)) return write_file_atomically(path, text);
  Deflater deflater;
  std::string packed = deflater.append(text);
  write_file_atomically(path, packed += deflater.finish());
}

}  // namespace dietmt
