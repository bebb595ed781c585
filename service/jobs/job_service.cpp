#include "service/jobs/job_service.h"

#include <spdlog/spdlog.h>

#include <fstream>

#include "common/text_io.h"

namespace dietmt::service {
namespace {

constexpr int64_t kTransactionBytes = 4 << 20;  // of an upload
constexpr std::chrono::minutes kSweep{1};

void check_format(const LineFormat& format) {
  if (format.kind == LineKind::kTxt && format.output == LineOutput::kAdd)
    throw RequestError("output: txt supports only replace");
  if (format.column < 1) throw RequestError("column: must be at least 1");
}

bool is_gzip(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return file.get() == 0x1F && file.get() == 0x8B;
}

// Splits the lines of a file into chunks and stores several at a time.
class Chunker {
 public:
  Chunker(const JobServiceOptions& options, JobUpload& upload)
      : options_(options), upload_(upload) {}

  void add(const std::string& line, bool ended_in_lf) {
    open_.text += line;
    if (ended_in_lf) open_.text += '\n';
    ++open_.lines;
    if (open_.lines >= options_.chunk_lines || size_of(open_) >= options_.chunk_bytes) close();
    if (pending_bytes_ >= kTransactionBytes) flush();
  }

  void finish() {
    if (open_.lines > 0) close();
    flush();
  }

 private:
  static int64_t size_of(const ChunkText& chunk) { return static_cast<int64_t>(chunk.text.size()); }

  void close() {
    pending_bytes_ += size_of(open_);
    pending_.push_back(std::move(open_));
    open_ = {};
  }

  void flush() {
    if (!pending_.empty()) upload_.append(pending_);
    pending_.clear();
    pending_bytes_ = 0;
  }

  const JobServiceOptions& options_;
  JobUpload& upload_;
  ChunkText open_;
  std::vector<ChunkText> pending_;
  int64_t pending_bytes_ = 0;
};

}  // namespace

JobService::JobService(JobQueue& queue, JobServiceOptions options,
                       std::function<void(const JobOptions&)> check)
    : queue_(queue),
      options_(std::move(options)),
      check_(std::move(check)),
      sweeper_([this] { sweep(); }) {}

JobService::~JobService() {
  stop_.set();
  sweeper_.join();
}

JobStatus JobService::submit(const JobClient& client, JobOptions options, const std::string& path) {
  check_format(options.format);
  if (check_) check_(options);
  options.gzip = is_gzip(path);
  JobUpload upload = queue_.start_upload(client, options, options_.quota);
  store(upload, path);
  return find(client.owner, upload.finish());
}

void JobService::store(JobUpload& upload, const std::string& path) {
  Chunker chunker(options_, upload);
  int64_t bytes = 0;
  try {
    LineReader reader(path, options_.max_line_bytes);
    for (std::string line; reader.next(line);) {
      bytes += static_cast<int64_t>(line.size()) + 1;
      if (bytes > options_.max_text_bytes)
        throw FileTooLargeError("the file has more than " +
                                std::to_string(options_.max_text_bytes) + " bytes of text");
      chunker.add(line, reader.ended_in_lf());
    }
  } catch (const DataError& error) {
    // The user does not know the path of the stored upload.
    throw DataError("file" + std::string(error.what()).substr(path.size()));
  }
  chunker.finish();
}

JobStatus JobService::find(const std::string& owner, const std::string& id) {
  std::optional<JobStatus> job = queue_.find(owner, id);
  if (!job) throw NoSuchJobError("there is no job " + id);
  return *std::move(job);
}

std::optional<JobStatus> JobService::cancel_or_remove(const std::string& owner,
                                                      const std::string& id) {
  if (queue_.cancel(owner, id)) return find(owner, id);
  if (!queue_.remove(owner, id)) throw NoSuchJobError("there is no job " + id);
  return std::nullopt;
}

JobOutput JobService::output(const JobStatus& job, bool partial) {
  if (job.state != JobState::kDone && !partial)
    throw JobStateError("job " + job.id + " is " + name_of(job.state) +
                        "; partial=1 returns the lines that are done");
  return JobOutput(queue_, job);
}

void JobService::sweep() {
  for (; !stop_.is_set(); stop_.wait(kSweep)) {
    try {
      queue_.remove_expired(options_.keep);
    } catch (const std::exception& error) {
      spdlog::warn("batch jobs: expired jobs could not be removed: {}", error.what());
    }
  }
}

}  // namespace dietmt::service
