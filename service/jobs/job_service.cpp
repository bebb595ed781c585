#include "service/jobs/job_service.h"

#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "common/text_io.h"
#include "service/documents/document_bytes.h"
#include "service/documents/kinds/document_turn.h"
#include "service/jobs/segment_lines.h"

namespace dietmt::service {
namespace {

constexpr int64_t kTransactionBytes = 4 << 20;  // of an upload
constexpr int64_t kSmallFile = 1 << 20;         // may be compressed to any ratio
constexpr std::chrono::minutes kSweep{1};

void check_format(const JobOptions& options) {
  const LineFormat& format = options.format;
  if ((options.document || format.kind == LineKind::kTxt) && format.output == LineOutput::kAdd)
    throw RequestError("output: only tsv and jsonl support add");
  if (format.quality && format.output != LineOutput::kAdd)
    throw RequestError("quality: only with output=add");
  if (format.column < 1) throw RequestError("column: must be at least 1");
  if (!options.document || !is_bilingual(*options.document)) return;
  if (options.source.empty() || options.target.empty())
    throw RequestError("source and target: TMX and XLIFF need both, with a model too");
  if (options.source == "auto") throw RequestError("source: auto does not work for TMX and XLIFF");
}

// Sets the format of a document's lines.
void prepare_document(JobOptions& options) {
  options.format = {.kind = LineKind::kJsonl};
  if (!options.decoding.contains("split_sentences")) options.decoding["split_sentences"] = true;
}

int64_t file_size(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  return error ? 0 : static_cast<int64_t>(size);
}

std::string too_large(int64_t bytes, bool is_packed) {
  return "the file has more than " + std::to_string(bytes) + " bytes of text" +
         (is_packed ? " or expands to more than text does" : "");
}

// As for lines: the time to split an unknown word into tokens is quadratic in its length.
void check_segment(const std::string& segment, size_t max_bytes) {
  constexpr size_t kShown = 40;
  if (segment.size() <= max_bytes) return;
  throw DataError("the segment that begins with \"" +
                  segment.substr(0, cut_length(segment, kShown)) + "\" is longer than " +
                  std::to_string(max_bytes) + " bytes");
}

bool is_gzip(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return file.get() == 0x1F && file.get() == 0x8B;
}

// The file's first bytes, unpacked.
std::string beginning_of(const std::string& path) {
  constexpr size_t kShown = 1 << 16;
  std::string beginning(kShown, '\0');
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  const int count = file ? gzread(file.get(), beginning.data(), kShown) : 0;
  beginning.resize(static_cast<size_t>(std::max(count, 0)));
  return beginning;
}

using UseLine = std::function<void(const std::string& line, bool ended_in_lf)>;

[[noreturn]] void throw_at_line(int64_t number, const std::string& problem) {
  throw DataError("file:" + std::to_string(number) + ": " + problem);
}

// Reads the lines of a UTF-16 file as UTF-8.
void read_utf16_lines(const std::string& path, uint64_t limit, size_t max_line,
                      const UseLine& use) {
  Utf16Decoder decoder;
  std::string line;  // the line that has begun
  int64_t number = 1;
  const auto extend = [&](std::string_view bytes) {
    line += bytes;
    if (line.size() > max_line)
      throw_at_line(number, "the line is longer than " + std::to_string(max_line) + " bytes");
  };
  read_unpacked(path, limit, [&](std::string_view piece) {
    const std::string text = decoder.decode(piece);
    std::string_view rest = text;
    for (size_t end = rest.find('\n'); end != rest.npos; end = rest.find('\n')) {
      extend(rest.substr(0, end));
      use(line, true);
      line.clear();
      ++number;
      rest.remove_prefix(end + 1);
    }
    extend(rest);
  });
  if (!line.empty()) use(line, false);
}

// Reads the lines of any other file, without a byte-order mark.
void read_utf8_lines(const std::string& path, size_t max_line, const UseLine& use) {
  try {
    LineReader reader(path, max_line);
    for (std::string line; reader.next(line);) {
      if (reader.line_number() == 1) line = without_utf8_mark(line);
      use(line, reader.ended_in_lf());
    }
  } catch (const DataError& error) {
    // The user does not know the path of the stored upload.
    throw DataError("file" + std::string(error.what()).substr(path.size()));
  }
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

JobStatus JobService::submit(const JobClient& client, JobOptions options, const std::string& path,
                             const Patience& patience) {
  options.owner = client.owner;
  check_format(options);
  if (options.document) prepare_document(options);
  if (check_) check_(options);
  options.gzip = is_gzip(path);
  JobUpload upload = queue_.start_upload(client, options, options_.quota);
  try {
    options.document ? store_document(upload, options, path, patience) : store_lines(upload, path);
  } catch (const DocumentTooLargeError& error) {
    throw FileTooLargeError(std::string("file: ") + error.what());
  }
  const std::string id = upload.finish();
  options_.queued();
  return find(client.owner, id);
}

void JobService::store_lines(JobUpload& upload, const std::string& path) {
  const std::string beginning = beginning_of(path);
  const std::string reason = binary_reason(beginning);
  if (!reason.empty()) throw DataError("file: " + reason);
  const int64_t packed = is_gzip(path) ? file_size(path) : 0;
  const int64_t most =
      packed == 0 ? options_.max_text_bytes
                  : std::min(options_.max_text_bytes, packed * options_.max_expansion + kSmallFile);
  Chunker chunker(options_, upload);
  int64_t bytes = 0;
  const UseLine add = [&](const std::string& line, bool ended_in_lf) {
    bytes += static_cast<int64_t>(line.size()) + 1;
    if (bytes > most) throw FileTooLargeError(too_large(most, packed > 0));
    chunker.add(line, ended_in_lf);
  };
  if (is_utf16(beginning))
    read_utf16_lines(path, static_cast<uint64_t>(most), options_.max_line_bytes, add);
  else
    read_utf8_lines(path, options_.max_line_bytes, add);
  chunker.finish();
}

void JobService::store_document(JobUpload& upload, const JobOptions& options,
                                const std::string& path, const Patience& patience) {
  const int64_t size = file_size(path) * (options.gzip ? options_.max_expansion : 1);
  const DocumentTurn turn(documents_, *options.document, static_cast<size_t>(size), patience);
  std::string bytes;
  try {
    read_unpacked(path, DocumentLimits().bytes, [&](std::string_view piece) { bytes += piece; });
    const auto document = open_document(*options.document, bytes, options.document_options());
    upload.attach(bytes);
    Chunker chunker(options_, upload);
    for (const nmt::MarkedText& segment : document->segments()) {
      check_segment(segment.text, options_.max_line_bytes);
      chunker.add(segment_line(segment), true);
    }
    chunker.finish();
  } catch (const DocumentTooLargeError&) {
    throw;
  } catch (const DataError& error) {
    throw DataError(std::string("file: ") + error.what());
  }
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

JobOutput JobService::output(const JobStatus& job, bool partial, const Patience& patience) {
  if (job.state != JobState::kDone && !partial)
    throw JobStateError("job " + job.id + " is " + name_of(job.state) +
                        "; partial=1 returns the lines that are done");
  if (!job.options.document) return JobOutput(queue_, job);
  const DocumentTurn turn(documents_, *job.options.document, queue_.document_bytes(job.id),
                          patience);
  return JobOutput(queue_, job);
}

void JobService::sweep() {
  for (; !stop_.is_set(); stop_.wait(kSweep)) {
    try {
      queue_.remove_expired(options_.keep);
    } catch (const std::exception& error) {
      log_job_failure("cannot remove expired jobs", error);
    }
  }
}

}  // namespace dietmt::service
