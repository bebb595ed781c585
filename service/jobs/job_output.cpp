#include "service/jobs/job_output.h"

#include <algorithm>
#include <utility>

#include "service/documents/kinds/open_document.h"
#include "service/jobs/segment_lines.h"

namespace dietmt::service {

namespace {

// Segments not yet translated stay in the source language.
TranslatedDocument translated_document(JobQueue& queue, const JobStatus& job) {
  const auto content = queue.document(job.id);
  if (!content) throw NoSuchJobError("job " + job.id + " was removed");
  const JobOptions& options = job.options;
  const auto document = open_document(*options.document, *content, options.document_options());
  std::vector<Translation> translations;
  for (const nmt::MarkedText& segment : document->segments())
    translations.push_back(in_source_order(segment));
  size_t at = 0;
  for (int64_t number = 0; number < job.chunks; ++number) {
    const auto lines = queue.output(job.id, number);
    if (!lines) break;
    for (std::string_view left = *lines; !left.empty();) {
      const std::string_view line = left.substr(0, left.find('\n'));
      left.remove_prefix(std::min(line.size() + 1, left.size()));
      translations.at(at++) = translation_in(line);
    }
  }
  std::string bytes = document->translated(translations);
  return {std::move(bytes), report_of(*document, translations), document->left_out()};
}

}  // namespace

JobOutput::JobOutput(JobQueue& queue, JobStatus job)
    : JobOutput(
          queue, job,
          job.options.document ? std::optional(translated_document(queue, job)) : std::nullopt) {}

JobOutput::JobOutput(JobQueue& queue, JobStatus job, std::optional<TranslatedDocument> document)
    : queue_(queue), job_(std::move(job)), document_(std::move(document)) {
  if (job_.options.gzip) gzip_ = std::make_unique<Deflater>();
}

std::optional<std::string> JobOutput::next() {
  if (!rest_.empty()) return std::exchange(rest_, {});
  while (!ended_) {
    const std::optional<std::string> text = next_text();
    ended_ = !text;
    std::string bytes = gzip_ ? text ? gzip_->append(*text) : gzip_->finish() : text.value_or("");
    if (!bytes.empty()) return bytes;
  }
  return std::nullopt;
}

uint64_t JobOutput::size() const {
  if (!gzip_ && !document_)
    return static_cast<uint64_t>(queue_.output_bytes(job_.id, 0, job_.chunks));
  uint64_t bytes = 0;
  JobOutput whole(queue_, job_, document_);
  while (const auto piece = whole.next()) bytes += piece->size();
  return bytes;
}

void JobOutput::skip(uint64_t bytes) {
  while (!gzip_ && !document_ && chunk_ + kBlockOfChunks <= job_.chunks) {
    const auto block =
        static_cast<uint64_t>(queue_.output_bytes(job_.id, chunk_, chunk_ + kBlockOfChunks));
    if (block > bytes) break;
    bytes -= block;
    chunk_ += kBlockOfChunks;
  }
  while (bytes > 0) {
    auto piece = next();
    if (!piece) return;
    if (piece->size() > bytes) rest_ = piece->substr(bytes);
    bytes -= std::min<uint64_t>(bytes, piece->size());
  }
}

std::optional<std::string> JobOutput::next_text() {
  if (document_) return chunk_++ == 0 ? std::optional(document_->bytes) : std::nullopt;
  if (chunk_ == job_.chunks) return std::nullopt;
  std::optional<std::string> text = queue_.output(job_.id, chunk_++);
  if (!text && job_.state == JobState::kDone)
    throw NoSuchJobError("job " + job_.id + " was removed while its result was being read");
  return text;
}

}  // namespace dietmt::service
