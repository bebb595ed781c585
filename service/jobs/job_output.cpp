#include "service/jobs/job_output.h"

#include <new>

namespace dietmt::service {

GzipWriter::GzipWriter() {
  constexpr int kGzip = 16;
  constexpr int kMemory = 8;
  if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzip, kMemory,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
}

GzipWriter::~GzipWriter() { deflateEnd(&stream_); }

std::string GzipWriter::deflated(std::string_view bytes, int flush) {
  constexpr size_t kBlock = 1 << 15;
  stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream_.avail_in = static_cast<uInt>(bytes.size());
  std::string output;
  do {
    const size_t old_size = output.size();
    output.resize(old_size + kBlock);
    stream_.next_out = reinterpret_cast<Bytef*>(output.data() + old_size);
    stream_.avail_out = kBlock;
    deflate(&stream_, flush);
    output.resize(output.size() - stream_.avail_out);
  } while (stream_.avail_out == 0);
  return output;
}

JobOutput::JobOutput(JobQueue& queue, JobStatus job) : queue_(queue), job_(std::move(job)) {
  if (job_.options.gzip) gzip_ = std::make_unique<GzipWriter>();
}

std::optional<std::string> JobOutput::next() {
  while (!ended_) {
    const std::optional<std::string> text = next_text();
    ended_ = !text;
    std::string bytes = gzip_ ? text ? gzip_->add(*text) : gzip_->finish() : text.value_or("");
    if (!bytes.empty()) return bytes;
  }
  return std::nullopt;
}

std::optional<std::string> JobOutput::next_text() {
  if (chunk_ == job_.chunks) return std::nullopt;
  std::optional<std::string> text = queue_.output(job_.id, chunk_++);
  if (!text && job_.state == JobState::kDone)
    throw NoSuchJobError("job " + job_.id + " was removed while its result was being read");
  return text;
}

}  // namespace dietmt::service
