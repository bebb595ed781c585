#include "data/text/utf8_lines.h"

#include <spdlog/spdlog.h>

#include <utility>

#include "common/error.h"

namespace dietmt::data {
namespace {

constexpr size_t kReportedLines = 10;

constexpr std::pair<const char*, InvalidUtf8> kChoices[] = {
    {"refuse", InvalidUtf8::kRefuse},
    {"replace", InvalidUtf8::kReplace},
    {"skip", InvalidUtf8::kSkip},
};

}  // namespace

InvalidUtf8 invalid_utf8_from_name(const std::string& name) {
  for (const auto& [known, choice] : kChoices)
    if (name == known) return choice;
  throw ConfigError("invalid UTF-8 '" + name + "': must be refuse, replace or skip");
}

std::string to_string(InvalidUtf8 choice) {
  for (const auto& [name, known] : kChoices)
    if (choice == known) return name;
  throw Error("a choice without a name");
}

bool Utf8Lines::admit(const LineReader& reader, std::string& line) {
  const size_t at = unreadable_at(line);
  if (at == std::string::npos) return true;
  if (choice_ == InvalidUtf8::kRefuse)
    throw DataError(reader.where() + ": " + unreadable_problem(line, at) +
                    "; convert the file, or use --invalid-utf8 replace or skip");
  ++count_;
  if (first_.size() < kReportedLines) first_.push_back(reader.line_number());
  if (choice_ == InvalidUtf8::kSkip) return false;
  line = replace_unreadable(std::move(line));
  return true;
}

void Utf8Lines::report(const std::string& file) const {
  if (count_ == 0) return;
  std::string numbers;
  for (const int64_t number : first_)
    numbers += (numbers.empty() ? "" : ", ") + std::to_string(number);
  const bool more = count_ > std::ssize(first_);
  const bool skipped = choice_ == InvalidUtf8::kSkip;
  spdlog::warn("{}: {} not UTF-8, {}: {}{}", file,
               count_ == 1 ? "1 line is" : std::to_string(count_) + " lines are",
               skipped ? "left out" : "with U+FFFD in place of ill-formed bytes",
               (count_ == 1 ? "line " : "lines ") + numbers, more ? ", ..." : "");
}

}  // namespace dietmt::data
