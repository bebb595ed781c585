// dietmt distill --teacher-url: a chat model at an HTTP endpoint translates the training text.
// Each answer is in a journal as soon as it is there, since answers cost time or money; the two
// files of the student are made from the journal when all lines have one.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <exception>
#include <thread>

#include "common/error.h"
#include "common/exit_kinds.h"
#include "common/files.h"
#include "data/text/language_codes.h"
#include "fetching/chat/answer_journal.h"
#include "fetching/chat/teacher.h"
#include "metrics/minimum_bayes_risk.h"
#include "nmt/translation/distilled_corpus.h"
#include "nmt/translation/line_tokens.h"
#include "tools/commands.h"
#include "tools/distill_choice.h"
#include "tools/line_progress.h"

namespace dietmt::tools {
namespace {

constexpr int64_t kMostBadInARow = 50;
constexpr int64_t kNamed = 20;  // lines left out that are named in the log

std::string api_key(const ChatTeacherOptions& o) {
  const char* const value = std::getenv(o.key.value_or("OPENAI_API_KEY").c_str());
  if (value == nullptr && o.key)
    throw ConfigError("--teacher-key: the environment variable " + *o.key + " is not set");
  return value == nullptr ? "" : value;
}

std::string named_language(const std::string& code) {
  return code.empty() ? "" : data::language_name(code);
}

fetching::ChatPrompt prompt_of(const DistillOptions& o) {
  const fetching::PromptLanguages languages{named_language(o.languages.source),
                                            named_language(o.languages.target)};
  if (o.teacher.prompt.empty()) return fetching::ChatPrompt::usual(languages);
  return fetching::ChatPrompt::parse(read_file(o.teacher.prompt), languages, o.teacher.prompt);
}

fetching::TeacherSettings teacher_settings(const OptionTable& table, const DistillOptions& o) {
  fetching::TeacherSettings settings{.url = fetching::completions_url(o.teacher.url),
                                     .key = api_key(o.teacher),
                                     .candidates = o.search.nbest,
                                     .retries = o.teacher.retries,
                                     .bad_answer_retries = o.teacher.bad_answer_retries,
                                     .timeout = o.teacher.timeout,
                                     .length_ratio = o.teacher.length_ratio};
  settings.chat.model = o.teacher.model;
  settings.chat.max_tokens = o.teacher.max_tokens;
  if (table.given("temperature")) settings.chat.temperature = o.search.temperature;
  if (table.given("top-p")) settings.chat.top_p = o.search.top_p;
  if (table.given("seed")) settings.chat.seed = o.search.seed;
  return settings;
}

// What the answers depend on.
std::string journal_settings(const fetching::TeacherSettings& settings,
                             const fetching::ChatPrompt& prompt, const std::string& source) {
  const std::vector<std::pair<std::string, std::string>> all = {
      {"request", fetching::chat_request(settings.chat, prompt, "{text}", settings.candidates)},
      {"length-ratio", fmt::format("{}", settings.length_ratio)}};
  return nmt::text_settings(all, {source});
}

// Gives the threads the lines that have no answer yet, and takes their answers.
class Questions {
 public:
  Questions(const DistillOptions& o, fetching::AnswerJournal& journal, fetching::TeacherPace& pace)
      : o_(o),
        journal_(journal),
        pace_(pace),
        input_(nmt::open_text(o.source)),
        progress_(o.source) {}

  bool next(int64_t& number, std::string& line) {
    const std::lock_guard lock(mutex_);
    while (!pace_.is_stopped() && input_.next(line)) {
      nmt::clean_line(line, input_);
      number = input_.line_number();
      if (line.find_first_not_of(" \t") != line.npos && !journal_.has(number)) return true;
      progress_.add(1);
    }
    return false;
  }

  void take(const fetching::JournalEntry& entry) {
    const std::lock_guard lock(mutex_);
    journal_.add(entry);
    progress_.add(1);
    bad_in_a_row_ = entry.texts.empty() ? bad_in_a_row_ + 1 : 0;
    if (!entry.texts.empty()) return;
    if (++left_out_ <= kNamed)
      spdlog::warn("{}:{}: left out: {}", o_.source, entry.line, entry.problem);
    if (bad_in_a_row_ == kMostBadInARow)
      throw Error(fmt::format("{}: the last {} lines have no good answer; of line {}: {}",
                              o_.source, bad_in_a_row_, entry.line, entry.problem));
  }

  /// The first failure stops all threads.
  void fail() {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
    pace_.stop();
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  const DistillOptions& o_;
  fetching::AnswerJournal& journal_;
  fetching::TeacherPace& pace_;
  std::mutex mutex_;
  LineReader input_;
  LineProgress progress_;
  int64_t left_out_ = 0, bad_in_a_row_ = 0;
  std::exception_ptr failure_;
};

void ask_about_all(const DistillOptions& o, const fetching::TeacherSettings& settings,
                   const fetching::ChatPrompt& prompt, fetching::AnswerJournal& journal) {
  fetching::TeacherPace pace;
  Questions questions(o, journal, pace);
  const auto work = [&] {
    try {
      fetching::Teacher teacher(settings, prompt, pace);
      int64_t number = 0;
      for (std::string line; questions.next(number, line);)
        questions.take(teacher.ask(number, line));
    } catch (const Stopped&) {  // another thread has failed
    } catch (...) {
      questions.fail();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int64_t i = 0; i < o.teacher.concurrency; ++i) threads.emplace_back(work);
  }
  questions.rethrow();
}

// Best first.
std::vector<std::string> ranked(std::vector<std::string> texts, const std::string& mbr) {
  if (mbr == "none" || texts.size() < 2) return texts;
  std::vector<std::string> best;
  for (const metrics::RankedCandidate& one :
       metrics::rank_by_bayes_risk(texts, {}, {.utility = metrics::utility_from_name(mbr)}))
    best.push_back(texts[one.index]);
  return best;
}

void write_student(const DistillOptions& o, const fetching::AnswerJournal& journal) {
  LineReader input = nmt::open_text(o.source);
  DistillChoice choose(o);
  const StudentPairs pair_of(o);
  nmt::DistilledCorpus student(o.output_source, o.output_target, "");
  int64_t written = 0, left_out = 0;
  for (std::string line; input.next(line);) {
    nmt::clean_line(line, input);
    const int64_t number = input.line_number();
    const bool is_empty = line.find_first_not_of(" \t") == line.npos;
    const std::vector<std::string> texts = ranked(journal.of(number).texts, o.mbr.utility);
    const std::string translation = choose(texts);
    if (texts.empty() && !is_empty) {
      ++left_out;
      continue;
    }
    const auto pair = pair_of(is_empty ? "" : line, translation, number);
    student.write(pair.source, pair.target);
    ++written;
  }
  student.commit();
  spdlog::info("wrote {} and {}: {} lines; {} lines were left out", o.output_source,
               o.output_target, written, left_out);
}

void report_use(const ChatTeacherOptions& o, const fetching::AnswerJournal& journal) {
  constexpr double kPriced = 1e6;  // tokens
  std::string cost;
  if (!o.prices.empty())
    cost =
        fmt::format(", cost {:.4f}", (o.prices[0] * static_cast<double>(journal.input_tokens()) +
                                      o.prices[1] * static_cast<double>(journal.output_tokens())) /
                                         kPriced);
  spdlog::info("tokens: {} in, {} out{}", journal.input_tokens(), journal.output_tokens(), cost);
}

}  // namespace

int run_distill(const std::vector<std::string>& arguments) {
  DistillOptions o;
  OptionTable table = option_table(o);
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  table.check(problems_of(table, o));
  const fetching::TeacherSettings settings = teacher_settings(table, o);
  const fetching::ChatPrompt prompt = prompt_of(o);
  const DistillChoice checked(o);  // fails before the work
  fetching::AnswerJournal journal(o.output_target + ".answers",
                                  journal_settings(settings, prompt, o.source));
  if (journal.kept() > 0) spdlog::info("{} lines have answers of an earlier run", journal.kept());
  try {
    ask_about_all(o, settings, prompt, journal);
  } catch (const Error& error) {
    report_use(o.teacher, journal);
    throw Error(std::string(error.what()) + "; the same command goes on from here");
  }
  write_student(o, journal);
  journal.remove();
  report_use(o.teacher, journal);
  return 0;
}

}  // namespace dietmt::tools
