#include "common/decompression.h"

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <new>

namespace dietmt {
namespace {

using namespace std::string_view_literals;

// Memory limit per xz stream: `xz -9` has a 64 MiB dictionary; the rest is headroom.
constexpr uint64_t kXzMemory = 100 << 20;

char* bytes_of(std::string_view& input) { return const_cast<char*>(input.data()); }

class Gzip : public Decompressor {
 public:
  Gzip() {
    constexpr int kGzipOnly = 16;
    if (inflateInit2(&stream_, MAX_WBITS + kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~Gzip() override { inflateEnd(&stream_); }
  const char* format() const override { return "gzip"; }

 protected:
  Step step(std::string_view& input, char* output, size_t room) override {
    stream_.next_in = reinterpret_cast<Bytef*>(bytes_of(input));
    stream_.avail_in = static_cast<uInt>(input.size());
    stream_.next_out = reinterpret_cast<Bytef*>(output);
    stream_.avail_out = static_cast<uInt>(room);
    const int code = inflate(&stream_, Z_NO_FLUSH);
    input.remove_prefix(input.size() - stream_.avail_in);
    Step step = {room - stream_.avail_out, code == Z_STREAM_END};
    if (step.ended)
      inflateReset(&stream_);
    else if (code != Z_OK && code != Z_BUF_ERROR)  // Z_BUF_ERROR: needs more input
      step.problem = stream_.msg != nullptr ? stream_.msg : zError(code);
    return step;
  }

 private:
  z_stream stream_ = {};
};

class Bzip2 : public Decompressor {
 public:
  Bzip2() { begin(); }
  ~Bzip2() override { BZ2_bzDecompressEnd(&stream_); }
  const char* format() const override { return "bzip2"; }

 protected:
  Step step(std::string_view& input, char* output, size_t room) override {
    stream_.next_in = bytes_of(input);
    stream_.avail_in = static_cast<unsigned>(input.size());
    stream_.next_out = output;
    stream_.avail_out = static_cast<unsigned>(room);
    const int code = BZ2_bzDecompress(&stream_);
    input.remove_prefix(input.size() - stream_.avail_in);
    Step step = {room - stream_.avail_out, code == BZ_STREAM_END};
    if (step.ended) {
      BZ2_bzDecompressEnd(&stream_);
      begin();
    } else if (code != BZ_OK) {
      step.problem = "the data is damaged";
    }
    return step;
  }

 private:
  void begin() {
    stream_ = {};
    if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw std::bad_alloc();
  }

  bz_stream stream_ = {};
};

class Xz : public Decompressor {
 public:
  Xz() { begin(); }
  ~Xz() override { lzma_end(&stream_); }
  const char* format() const override { return "xz"; }

 protected:
  Step step(std::string_view& input, char* output, size_t room) override {
    stream_.next_in = reinterpret_cast<const uint8_t*>(input.data());
    stream_.avail_in = input.size();
    stream_.next_out = reinterpret_cast<uint8_t*>(output);
    stream_.avail_out = room;
    const lzma_ret code = lzma_code(&stream_, LZMA_RUN);
    input.remove_prefix(input.size() - stream_.avail_in);
    Step step = {room - stream_.avail_out, code == LZMA_STREAM_END};
    if (step.ended)
      begin();
    else if (code == LZMA_MEMLIMIT_ERROR)
      step.problem = "needs more than 100 MiB of memory; decompress it with xz";
    else if (code != LZMA_OK && code != LZMA_BUF_ERROR)  // LZMA_BUF_ERROR: needs more input
      step.problem = "the data is damaged";
    return step;
  }

 private:
  void begin() {
    if (lzma_stream_decoder(&stream_, kXzMemory, 0) != LZMA_OK) throw std::bad_alloc();
  }

  lzma_stream stream_ = LZMA_STREAM_INIT;
};

// libzstd itself rejects windows over 128 MiB.
class Zstd : public Decompressor {
 public:
  Zstd() : stream_(ZSTD_createDStream()) {
    if (stream_ == nullptr) throw std::bad_alloc();
  }
  ~Zstd() override { ZSTD_freeDStream(stream_); }
  const char* format() const override { return "zstd"; }

 protected:
  Step step(std::string_view& input, char* output, size_t room) override {
    ZSTD_inBuffer in = {input.data(), input.size(), 0};
    ZSTD_outBuffer out = {output, room, 0};
    const size_t code = ZSTD_decompressStream(stream_, &out, &in);
    input.remove_prefix(in.pos);
    Step step = {out.pos, code == 0};
    if (ZSTD_isError(code) != 0) step.problem = ZSTD_getErrorName(code);
    return step;
  }

 private:
  ZSTD_DStream* stream_;
};

template <typename Format>
std::unique_ptr<Decompressor> make() {
  return std::make_unique<Format>();
}

struct Magic {
  std::string_view bytes;  // '?' matches any byte
  std::unique_ptr<Decompressor> (*make)();
  const char* problem;  // why it cannot be read, if it cannot
};

constexpr const char* kUtf16 = "UTF-16 text; convert it: iconv -f UTF-16 -t UTF-8";
constexpr const char* kArchive = "an archive, not text; unpack it";
constexpr const char* kZip =
    "a ZIP archive or an office document, not text; unpack it (dietmt serve translates documents)";
constexpr const char* kPdf = "a PDF, not text; export its text";
constexpr const char* kCompressed =
    "compressed, and not with gzip, bzip2, xz or zstd; decompress it";

constexpr Magic kMagic[] = {
    {"\x1f\x8b"sv, make<Gzip>, nullptr},
    {"BZh?1AY&SY"sv, make<Bzip2>, nullptr},
    {"BZh?\x17\x72\x45\x38\x50\x90"sv, make<Bzip2>, nullptr},  // an empty stream
    {"\xfd"
     "7zXZ\0"sv,
     make<Xz>, nullptr},
    {"\x28\xb5\x2f\xfd"sv, make<Zstd>, nullptr},
    {"P\x2a\x4d\x18"sv, make<Zstd>, nullptr},  // pzstd
    {"\xff\xfe"sv, nullptr, kUtf16},
    {"\xfe\xff"sv, nullptr, kUtf16},
    {"PK\x03\x04"sv, nullptr, kZip},
    {"%PDF-"sv, nullptr, kPdf},
    {"7z\xbc\xaf\x27\x1c"sv, nullptr, kArchive},
    {"\x04\x22\x4d\x18"sv, nullptr, kCompressed},
    {"\x1f\x9d"sv, nullptr, kCompressed},
};

// Whether both agree on the bytes that they share.
bool agree(std::string_view magic, std::string_view beginning) {
  const size_t both = std::min(magic.size(), beginning.size());
  return std::equal(magic.begin(), magic.begin() + static_cast<std::ptrdiff_t>(both),
                    beginning.begin(), [](char m, char b) { return m == '?' || m == b; });
}

const Magic* magic_of(std::string_view beginning) {
  const auto* found = std::ranges::find_if(kMagic, [&](const Magic& magic) {
    return magic.bytes.size() <= beginning.size() && agree(magic.bytes, beginning);
  });
  return found == std::end(kMagic) ? nullptr : found;
}

// Two characters of Western text. Without a byte-order mark iconv must be told the byte order.
const char* unmarked_utf16(std::string_view beginning) {
  if (beginning.size() < 4) return nullptr;
  const auto is_zero = [&](size_t i) { return beginning[i] == '\0'; };
  if (!is_zero(0) && is_zero(1) && !is_zero(2) && is_zero(3))
    return "UTF-16 text; convert it: iconv -f UTF-16LE -t UTF-8";
  if (is_zero(0) && !is_zero(1) && is_zero(2) && !is_zero(3))
    return "UTF-16 text; convert it: iconv -f UTF-16BE -t UTF-8";
  return nullptr;
}

}  // namespace

std::string Decompressor::append(std::string_view input, std::string& output) {
  constexpr size_t kBlock = 1 << 16;
  size_t written = 0;
  do {
    // gzip allows zero padding after a member, up to the block size of a tape; so does xz.
    if (!inside_member_) input.remove_prefix(std::min(input.find_first_not_of('\0'), input.size()));
    if (input.empty() && !inside_member_) break;
    const size_t old_size = output.size();
    output.resize(old_size + kBlock);
    const Step done = step(input, output.data() + old_size, kBlock);
    written = done.written;
    output.resize(old_size + written);
    if (!done.problem.empty()) return done.problem;
    inside_member_ = !done.ended;
  } while (!input.empty() || (inside_member_ && written == kBlock));
  return {};
}

std::unique_ptr<Decompressor> decompressor_of(std::string_view beginning) {
  const Magic* const magic = magic_of(beginning);
  return magic != nullptr && magic->make != nullptr ? magic->make() : nullptr;
}

std::string reason_not_text(std::string_view beginning) {
  const Magic* const magic = magic_of(beginning);
  if (magic != nullptr && magic->problem != nullptr) return magic->problem;
  constexpr size_t kTarMagic = 257;  // where POSIX's ustar has it
  if (beginning.size() > kTarMagic && beginning.substr(kTarMagic).starts_with("ustar"))
    return kArchive;
  const char* const utf16 = unmarked_utf16(beginning);
  return utf16 != nullptr ? utf16 : "";
}

bool is_start_of_magic(std::string_view beginning) {
  return std::ranges::any_of(kMagic, [&](const Magic& magic) {
    return beginning.size() < magic.bytes.size() && agree(magic.bytes, beginning);
  });
}

}  // namespace dietmt
