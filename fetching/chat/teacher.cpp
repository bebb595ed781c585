#include "fetching/chat/teacher.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "common/error.h"
#include "common/exit_kinds.h"
#include "common/random.h"

namespace dietmt::fetching {
namespace {

constexpr int64_t kOk = 200, kTooMany = 429, kUnavailable = 503;
constexpr double kLongestPause = 60;      // seconds, unless the server asks for more
constexpr double kLongestRequest = 3600;  // of the server

// Whether the server says no to this line, not to the program.
bool concerns_line(int64_t status) {
  constexpr int64_t kBadRequest = 400, kTooLarge = 413, kUnprocessable = 422;
  return status == kBadRequest || status == kTooLarge || status == kUnprocessable;
}

// Doubles with each failure; a random part keeps threads from coming back together.
double pause_after(int64_t failures, int64_t number) {
  const auto doubled = static_cast<double>(int64_t{1} << std::min<int64_t>(failures, 10));
  const uint64_t key = random_key(static_cast<uint64_t>(number), static_cast<uint64_t>(failures));
  return std::min(doubled, kLongestPause) * (0.75 + 0.5 * Random(key).uniform());
}

}  // namespace

bool TeacherPace::wait(double seconds) {
  std::unique_lock lock(mutex_);
  const auto own = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(seconds));
  while (!stopped_) {
    const auto until = std::max(own, next_);
    if (Clock::now() >= until) return true;
    changed_.wait_until(lock, until);
  }
  return false;
}

void TeacherPace::hold(double seconds) {
  const std::lock_guard lock(mutex_);
  next_ = std::max(next_, Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                             std::chrono::duration<double>(seconds)));
}

void TeacherPace::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

bool TeacherPace::is_stopped() {
  const std::lock_guard lock(mutex_);
  return stopped_;
}

void TeacherPace::note_success() {
  const std::lock_guard lock(mutex_);
  success_ = true;
}

bool TeacherPace::has_success() {
  const std::lock_guard lock(mutex_);
  return success_;
}

Teacher::Teacher(const TeacherSettings& settings, const ChatPrompt& prompt, TeacherPace& pace)
    : settings_(settings), prompt_(prompt), pace_(pace), http_(HttpOptions{}) {}

JournalEntry Teacher::ask(int64_t number, const std::string& line) {
  JournalEntry entry{.line = number};
  int64_t missing = settings_.candidates;
  for (int64_t failures = 0; missing > 0 && failures <= settings_.bad_answer_retries;) {
    ChatSettings chat = settings_.chat;
    if (chat.seed)
      *chat.seed += settings_.candidates - missing + failures;  // else it repeats itself
    ChatAnswer answer = request(chat_request(chat, prompt_, line, missing), number, entry.problem);
    entry.input_tokens += answer.input_tokens;
    entry.output_tokens += answer.output_tokens;
    if (answer.choices.empty()) break;  // the server does not take the line
    const int64_t before = missing;
    for (ChatChoice& choice : answer.choices) {
      remove_thoughts(line, choice);
      const std::string problem = bad_answer(line, choice, settings_.length_ratio);
      if (!problem.empty()) entry.problem = problem;
      if (!problem.empty() || missing == 0) continue;
      entry.texts.push_back(choice.text);
      --missing;
    }
    if (missing == before) ++failures;
  }
  return entry;
}

ChatAnswer Teacher::request(const std::string& body, int64_t number, std::string& refusal) {
  for (int64_t failures = 0;; ++failures) {
    if (!pace_.wait()) throw Stopped("stopped");
    Outcome outcome = send(body);
    if (outcome.problem.empty()) {
      if (!outcome.refusal.empty()) refusal = outcome.refusal;
      return std::move(outcome.answer);
    }
    if (failures == settings_.retries)
      throw Error(fmt::format("{}; gave up at attempt {} of {}", outcome.problem, failures + 1,
                              settings_.retries + 1));
    const double pause =
        std::max(std::min(outcome.wait, kLongestRequest), pause_after(failures, number));
    spdlog::warn("{}; trying again in {:.1f} s", outcome.problem, pause);
    if (outcome.for_all) pace_.hold(pause);
    if (!pace_.wait(pause)) throw Stopped("stopped");
  }
}

Teacher::Outcome Teacher::send(const std::string& body) {
  HttpPost post{.url = settings_.url,
                .headers = {"Content-Type: application/json"},
                .body = body,
                .seconds = settings_.timeout};
  if (!settings_.key.empty()) post.headers.push_back("Authorization: Bearer " + settings_.key);
  HttpReply reply;
  try {
    reply = http_.post(post);
  } catch (const HttpError& error) {
    if (!error.may_pass()) throw;
    return {.problem = error.what()};
  }
  if (reply.status == kOk) {
    try {
      Outcome outcome{.answer = parse_chat_answer(reply.body)};
      pace_.note_success();
      return outcome;
    } catch (const DataError& error) {
      return {.problem = settings_.url + ": not the answer of a chat endpoint: " + error.what()};
    }
  }
  const std::string said = error_message(reply.body);
  const std::string problem =
      fmt::format("{}: status {}{}{}", settings_.url, reply.status, said.empty() ? "" : ": ", said);
  if (concerns_line(reply.status) && pace_.has_success())
    return {.refusal = fmt::format("status {}{}{}", reply.status, said.empty() ? "" : ": ", said)};
  if (!may_pass(reply.status)) throw Error(problem);
  return {.problem = problem,
          .wait = static_cast<double>(reply.retry_after),
          .for_all = reply.status == kTooMany || reply.status == kUnavailable};
}

}  // namespace dietmt::fetching
