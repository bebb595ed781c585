#include "fetching/chat/answer_journal.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>

#include "common/error.h"
#include "common/json_fields.h"
#include "common/text_io.h"

namespace dietmt::fetching {
namespace {

std::string line_of(const JournalEntry& entry) {
  nlohmann::ordered_json all{{"line", entry.line}};
  if (entry.texts.empty())
    all["left_out"] = entry.problem;
  else
    all["texts"] = entry.texts;
  all["input_tokens"] = entry.input_tokens;
  all["output_tokens"] = entry.output_tokens;
  return all.dump();
}

JournalEntry entry_of(const std::string& line) {
  const nlohmann::json all = parse_json(line);
  JournalEntry entry;
  read_field(all, "line", entry.line);
  if (entry.line < 1) throw CheckpointError("line is below 1");
  if (all.contains("texts")) any_field(all, "texts").get_to(entry.texts);
  entry.problem = field_or<std::string>(all, "left_out", "");
  entry.input_tokens = field_or<int64_t>(all, "input_tokens", 0);
  entry.output_tokens = field_or<int64_t>(all, "output_tokens", 0);
  return entry;
}

// The first line that one text has and the other has not.
std::string difference(const std::string& theirs, const std::string& ours) {
  std::istringstream first(theirs), second(ours);
  for (std::string a, b;;) {
    const bool has_a = static_cast<bool>(std::getline(first, a));
    const bool has_b = static_cast<bool>(std::getline(second, b));
    if (!has_a && !has_b) return "";
    if (has_a != has_b || a != b)
      return "'" + (has_a ? a : "") + "' there, '" + (has_b ? b : "") + "' now";
  }
}

}  // namespace

AnswerJournal::AnswerJournal(const std::string& file, const std::string& settings)
    : path_(file + ".part"), writer_(file, Unfinished::kKept) {
  const int64_t lines = writer_.lines_left();
  writer_.keep(lines);  // without the rest of a line that a stop has cut
  if (lines > 0) {
    read(settings);
    return;
  }
  const std::string head = nlohmann::ordered_json{{"settings", settings}}.dump();
  writer_.write(head);
  writer_.flush();
  bytes_ = static_cast<int64_t>(head.size()) + 1;
}

void AnswerJournal::read(const std::string& settings) {
  LineReader reader(path_);
  std::string line;
  try {
    reader.next(line);
    std::string theirs;
    read_field(parse_json(line), "settings", theirs);
    if (theirs != settings)
      throw Error("holds answers to another command (" + difference(theirs, settings) +
                  "): give the same options and text, or remove the file");
    bytes_ = static_cast<int64_t>(line.size()) + 1;
    while (reader.next(line)) {
      note(entry_of(line), bytes_);
      bytes_ += static_cast<int64_t>(line.size()) + 1;
    }
  } catch (const Error& error) {
    throw Error(reader.where() + ": " + error.what());
  } catch (const nlohmann::json::exception& error) {
    throw Error(reader.where() + ": " + json_problem(error));
  }
  for (const int64_t offset : offsets_) kept_ += offset >= 0 ? 1 : 0;
}

void AnswerJournal::note(const JournalEntry& entry, int64_t offset) {
  input_tokens_ += entry.input_tokens;
  output_tokens_ += entry.output_tokens;
  const auto place = static_cast<size_t>(entry.line - 1);
  if (place >= offsets_.size() && !entry.texts.empty()) offsets_.resize(place + 1, -1);
  if (!entry.texts.empty()) offsets_[place] = offset;
}

bool AnswerJournal::has(int64_t line) const {
  const auto place = static_cast<size_t>(line - 1);
  return place < offsets_.size() && offsets_[place] >= 0;
}

void AnswerJournal::add(const JournalEntry& entry) {
  const std::string line = line_of(entry);
  writer_.write(line);
  writer_.flush();
  note(entry, bytes_);
  bytes_ += static_cast<int64_t>(line.size()) + 1;
}

JournalEntry AnswerJournal::of(int64_t line) const {
  if (!has(line)) return {.line = line};
  std::ifstream file(path_);
  file.seekg(offsets_[static_cast<size_t>(line - 1)]);
  std::string text;
  if (!std::getline(file, text)) throw Error(path_ + ": cannot be read");
  return entry_of(text);
}

void AnswerJournal::remove() { std::filesystem::remove(path_); }

}  // namespace dietmt::fetching
