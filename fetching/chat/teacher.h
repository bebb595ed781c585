// Translations by a chat model at an HTTP endpoint, by several threads at once, with pauses after
// failures that may pass.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>

#include "fetching/chat/answer_journal.h"
#include "fetching/chat/chat_format.h"
#include "fetching/http_client.h"

namespace dietmt::fetching {

struct TeacherSettings {
  std::string url = {};  // of completions_url()
  std::string key = {};  // sent as bearer token; empty: none
  ChatSettings chat = {};
  int64_t candidates = 1;          // translations of a line
  int64_t retries = 6;             // of a request that failed
  int64_t bad_answer_retries = 2;  // of a line whose answers are bad
  int64_t timeout = 120;           // seconds of a request
  double length_ratio = 4.0;       // of bad_answer()
};

/// What the threads share: when the server wants the next request, whether an answer has come yet,
/// and whether they must stop.
class TeacherPace {
 public:
  /// Waits until requests may be sent, or for `seconds` if that is longer. Returns false if the
  /// threads must stop.
  bool wait(double seconds = 0);

  /// Nobody sends a request for so many seconds.
  void hold(double seconds);

  void stop();
  bool is_stopped();

  void note_success();
  bool has_success();

 private:
  using Clock = std::chrono::steady_clock;

  std::mutex mutex_;
  std::condition_variable changed_;
  Clock::time_point next_ = Clock::time_point::min();
  bool stopped_ = false, success_ = false;
};

/// For one thread.
class Teacher {
 public:
  /// The references must outlive it.
  Teacher(const TeacherSettings& settings, const ChatPrompt& prompt, TeacherPace& pace);

  /// The translations of a line, or why it has none. Throws Error if the server cannot be reached,
  /// does not answer like a chat endpoint or refuses the request, and Stopped if the threads must
  /// stop.
  JournalEntry ask(int64_t number, const std::string& line);

 private:
  struct Outcome {
    std::string problem = {};  // of the request; empty: `answer` is there
    double wait = 0;           // seconds that the server asks for
    bool for_all = false;      // threads
    ChatAnswer answer = {};
    std::string refusal = {};  // of this line, by the server
  };

  Outcome send(const std::string& body);
  ChatAnswer request(const std::string& body, int64_t number, std::string& refusal);

  const TeacherSettings& settings_;
  const ChatPrompt& prompt_;
  TeacherPace& pace_;
  HttpClient http_;
};

}  // namespace dietmt::fetching
