// Translates lines window by window: one is decoded while the caller reads the next.
#pragma once

#include <atomic>
#include <deque>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <vector>

#include "dietmt/engine.h"

namespace dietmt {

class TranslationWindows {
 public:
  /// Throws ConfigError and DataError for wrong options.
  TranslationWindows(std::shared_ptr<Engine> engine, LineSource lines,
                     const TranslateOptions& options, bool line_by_line);
  ~TranslationWindows();
  TranslationWindows(const TranslationWindows&) = delete;
  TranslationWindows& operator=(const TranslationWindows&) = delete;

  /// The translation of the next line; nullopt at the end. An exception of the source arrives after
  /// the translations of the lines before it; a later call continues with the source.
  std::optional<Translation> next();

 private:
  using Translations = std::vector<Translation>;

  LineBatch read();
  bool take_line(int64_t number, BatchLine& line);
  void remember(const BatchLine& line);
  std::future<Translations> start(LineBatch batch, bool here);
  Translations wait(std::future<Translations> window);

  const std::shared_ptr<Engine> engine_;
  const LineSource lines_;
  const std::function<bool()> cancelled_;
  const TranslationPlan plan_;
  const bool line_by_line_;
  int64_t max_lines_;
  int64_t lines_read_ = 0;
  bool ended_ = false;
  std::exception_ptr failure_;  // from the source; thrown after the lines before it
  std::atomic<bool> stopped_ = false;
  std::deque<BatchLine> earlier_;  // last lines of the previous windows
  std::deque<Translation> ready_;
  std::deque<std::future<Translations>> windows_;  // after stopped_, so that its threads end first
};

}  // namespace dietmt
