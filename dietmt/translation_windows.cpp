#include "dietmt/translation_windows.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <system_error>
#include <utility>

#include "dietmt/error.h"
#include "nmt/translation/translation_stream.h"

namespace dietmt {
namespace {

const nmt::WindowSizes kSizes;  // as in a stream of the program

}  // namespace

TranslationWindows::TranslationWindows(std::shared_ptr<Engine> engine, LineSource lines,
                                       const TranslateOptions& options, bool line_by_line)
    : engine_(std::move(engine)),
      lines_(std::move(lines)),
      cancelled_(options.cancelled),
      plan_(engine_->plan(options)),
      line_by_line_(line_by_line),
      max_lines_(line_by_line ? 1 : kSizes.first_lines) {}

TranslationWindows::~TranslationWindows() { stopped_ = true; }

std::optional<Translation> TranslationWindows::next() {
  engine_->require_own_process();  // the threads that translate the windows are there
  const size_t ahead = line_by_line_ ? 1 : 2;
  while (ready_.empty()) {
    while (!ended_ && !failure_ && windows_.size() < ahead) {
      LineBatch batch = read();
      if (batch.lines.empty()) break;
      // A single window needs no thread.
      const bool here = line_by_line_ || (ended_ && windows_.empty());
      windows_.push_back(start(std::move(batch), here));
    }
    if (windows_.empty() && failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    if (windows_.empty()) return std::nullopt;
    std::future<Translations> window = std::move(windows_.front());
    windows_.pop_front();
    Translations done = wait(std::move(window));
    ready_.assign(std::make_move_iterator(done.begin()), std::make_move_iterator(done.end()));
  }
  Translation translation = std::move(ready_.front());
  ready_.pop_front();
  return translation;
}

LineBatch TranslationWindows::read() {
  LineBatch batch;
  batch.first = lines_read_;
  batch.earlier.assign(earlier_.begin(), earlier_.end());
  int64_t bytes = 0;
  while (std::ssize(batch.lines) < max_lines_ && bytes < kSizes.bytes) {
    BatchLine line;
    if (!take_line(lines_read_ + std::ssize(batch.lines), line)) break;
    bytes += std::ssize(line.text);
    remember(line);
    batch.lines.push_back(std::move(line));
  }
  lines_read_ += std::ssize(batch.lines);
  if (!line_by_line_) max_lines_ = std::min(2 * max_lines_, kSizes.lines);
  return batch;
}

// Returns false at the end of the source, and when it fails or does not match the languages.
bool TranslationWindows::take_line(int64_t number, BatchLine& line) {
  try {
    ended_ = !lines_(line.text, line.prefix);
    plan_.languages.require_line(number, ended_);
    if (!ended_) line.languages = plan_.languages.of(number);
  } catch (...) {
    failure_ = std::current_exception();
  }
  return !ended_ && !failure_;
}

void TranslationWindows::remember(const BatchLine& line) {
  const int64_t most = engine_->context().sentences;
  if (most == 0) return;
  if (std::ssize(earlier_) == most) earlier_.pop_front();
  earlier_.push_back(line);
}

// `here`: translate on the waiting thread.
std::future<TranslationWindows::Translations> TranslationWindows::start(LineBatch batch,
                                                                        bool here) {
  const auto shared = std::make_shared<const LineBatch>(std::move(batch));
  const auto work = [this, shared](std::function<bool()> cancelled) {
    return [this, shared, cancelled = std::move(cancelled)] {
      return engine_->translate(*shared, plan_, cancelled);
    };
  };
  if (!here) {
    try {
      return std::async(std::launch::async, work([this] { return stopped_.load(); }));
    } catch (const std::system_error&) {
      // The system cannot start another thread.
    }
  }
  return std::async(std::launch::deferred, work(cancelled_));
}

// If the caller gives up, so do all windows, since the destructor of a future waits for its thread.
TranslationWindows::Translations TranslationWindows::wait(std::future<Translations> window) {
  constexpr std::chrono::milliseconds kGlance{100};
  while (window.wait_for(kGlance) == std::future_status::timeout) {
    if (!cancelled_ || !cancelled_()) continue;
    stopped_ = true;
    throw Cancelled("the translation was cancelled");
  }
  return window.get();
}

}  // namespace dietmt
