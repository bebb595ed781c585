// A worker process for tests: works on a queue until all its jobs have ended.
//
//   service_jobs_worker QUEUE DIRECTORY MILLISECONDS LOG PROCESSES
//
// QUEUE: empty for SQLite in DIRECTORY, or postgresql://... . Each line takes MILLISECONDS / 10.
// Writes its process number to LOG, a line per chunk, and finishes none until LOG has the numbers
// of PROCESSES processes.
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <iostream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "common/text_io.h"
#include "service/jobs/job_worker.h"
#include "tests/service/jobs/fake_translator.h"

namespace {

size_t processes_in(const std::string& log) {
  const std::vector<std::string> lines = dietmt::read_lines(log);
  return std::set<std::string>(lines.begin(), lines.end()).size();
}

}  // namespace

int main(int argc, char** argv) {
  using namespace dietmt::service;
  if (argc < 6) return 2;
  const std::string log = argv[4];
  const size_t processes = std::stoul(argv[5]);
  const std::chrono::microseconds per_line(std::stoll(argv[3]) * 100);
  const int log_fd = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  try {
    JobQueue queue(open_job_database(argv[1], argv[2]));
    const auto translate = [&](const JobOptions&, const ConnectedTexts& lines,
                               const std::function<bool()>&) {
      const std::string mark = std::to_string(::getpid()) + "\n";
      if (::write(log_fd, mark.data(), mark.size()) < 0) throw std::runtime_error("no log");
      while (processes_in(log) < processes)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      std::this_thread::sleep_for(per_line * static_cast<int>(lines.texts.size()));
      return fake_translations(lines);
    };
    JobWorkerOptions options;
    options.lease = std::chrono::seconds(600);  // other processes notice at once if this one dies
    options.poll = std::chrono::milliseconds(20);
    const JobWorker worker(queue, translate, options);
    const auto open_jobs = [&] {
      return queue.database()
          .execute("SELECT COUNT(*) FROM dietmt_jobs WHERE state IN ('queued', 'running')")
          .rows.at(0)
          .integer(0);
    };
    while (open_jobs() > 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
  return 0;
}
