#include "data/tasks/question_reader.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "common/error.h"
#include "common/json_fields.h"
#include "common/text_io.h"
#include "common/utf8.h"

namespace dietmt::data {
namespace {

using nlohmann::json;

constexpr int64_t kNear = 32;  // an answer is moved by fewer bytes
constexpr const char* kExpectation =
    "; expected SQuAD's JSON: data[].paragraphs[] with context and qas";

std::string whole_text(const std::string& path) {
  std::string text;
  LineReader lines(path);
  for (std::string line; lines.next(line);) text += line + '\n';
  return text;
}

// The byte offset of each code point of UTF-8 text, and the size of the text.
std::vector<int64_t> code_point_starts(const std::string& text) {
  std::vector<int64_t> starts;
  for (size_t i = 0; i < text.size(); ++i)
    if (!continues_character(text[i])) starts.push_back(static_cast<int64_t>(i));
  starts.push_back(std::ssize(text));
  return starts;
}

// The only occurrence of `text` less than kNear bytes from `at`, or -1.
int64_t only_place_near(const std::string& context, const std::string& text, int64_t at) {
  int64_t place = -1;
  const int64_t low = std::clamp<int64_t>(at - kNear + 1, 0, std::ssize(context));
  for (size_t found = context.find(text, static_cast<size_t>(low));
       found != std::string::npos && static_cast<int64_t>(found) < at + kNear;
       found = context.find(text, found + 1)) {
    if (place >= 0) return -1;
    place = static_cast<int64_t>(found);
  }
  return place;
}

// Adds the paragraphs of a file one by one.
class QuestionBuilder {
 public:
  QuestionBuilder(std::string path, QuestionUse use) : path_(std::move(path)), use_(use) {}

  void add_paragraph(const json& paragraph) {
    const std::string after = "after " + std::to_string(seen_) + " questions";
    const std::string& context = text_at(paragraph, "context", "paragraph " + after);
    const std::vector<int64_t> starts = code_point_starts(context);
    bool is_used = false;
    for (const json& entry : array_at(paragraph, "qas", "paragraph " + after)) {
      ++seen_;
      Question question = read_question(entry, context, starts);
      question.context = set_.contexts.size();
      if (use_ == QuestionUse::kTraining && !can_train(question)) continue;
      set_.questions.push_back(std::move(question));
      is_used = true;
    }
    if (is_used) set_.contexts.push_back(context);
  }

  QuestionSet finish() {
    if (set_.questions.empty())
      throw DataError(path_ + ": no questions" + kExpectation +
                      (set_.dropped > 0 ? " (" + set_.summary() + ")" : ""));
    return std::move(set_);
  }

 private:
  [[noreturn]] void fail(const std::string& part, const std::string& what) const {
    throw DataError(path_ + ": " + part + ": " + what);
  }

  const json& at(const json& object, const char* name, const std::string& part) const {
    if (!object.is_object()) fail(part, "expected an object");
    const auto value = object.find(name);
    if (value == object.end()) fail(part, "\"" + std::string(name) + "\" is missing");
    return *value;
  }
  const std::string& text_at(const json& object, const char* name, const std::string& part) const {
    const json& value = at(object, name, part);
    if (!value.is_string()) fail(part, "\"" + std::string(name) + "\" is not a string");
    return value.get_ref<const std::string&>();
  }
  const json& array_at(const json& object, const char* name, const std::string& part) const {
    const json& value = at(object, name, part);
    if (!value.is_array()) fail(part, "\"" + std::string(name) + "\" is not an array");
    return value;
  }

  Question read_question(const json& entry, const std::string& context,
                         const std::vector<int64_t>& starts) {
    const std::string number = "question number " + std::to_string(seen_);
    const json& id = at(entry, "id", number);
    Question question;
    if (!id.is_string() && !id.is_number()) fail(number, "\"id\" is neither text nor a number");
    question.id = id.is_string() ? id.get<std::string>() : id.dump();
    const std::string part = "question " + question.id;
    if (!ids_.insert(question.id).second) fail(part, "duplicate id");
    question.text = text_at(entry, "question", part);
    if (const auto flag = entry.find("is_impossible"); flag != entry.end()) {
      if (!flag->is_boolean()) fail(part, "\"is_impossible\" is neither true nor false");
      question.is_impossible = flag->get<bool>();
    }
    if (question.is_impossible) return question;  // its "answers", if any, are only plausible
    if (use_ == QuestionUse::kEvaluation && !entry.contains("answers")) return question;
    for (const json& answer : array_at(entry, "answers", part))
      question.answers.push_back(read_answer(answer, question.id, context, starts));
    question.is_impossible = question.answers.empty();
    return question;
  }

  Answer read_answer(const json& entry, const std::string& id, const std::string& context,
                     const std::vector<int64_t>& starts) {
    const std::string part = "question " + id;
    Answer answer;
    answer.text = text_at(entry, "text", part);
    const json& offset = at(entry, "answer_start", part);
    if (!offset.is_number_integer()) fail(part, "\"answer_start\" is not a whole number");
    const auto code_point = offset.get<int64_t>();
    const int64_t begin =
        starts[static_cast<size_t>(std::clamp<int64_t>(code_point, 0, std::ssize(starts) - 1))];
    if (!answer.text.empty()) {
      const bool is_there =
          code_point >= 0 &&
          context.compare(static_cast<size_t>(begin), answer.text.size(), answer.text) == 0;
      answer.begin = is_there ? begin : only_place_near(context, answer.text, begin);
      if (!is_there && answer.has_place()) note(set_.repaired, id);
    }
    if (answer.has_place())
      answer.end = answer.begin + std::ssize(answer.text);
    else
      note(set_.unplaced, id);
    return answer;
  }

  static void note(std::vector<std::string>& ids, const std::string& id) {
    if (ids.empty() || ids.back() != id) ids.push_back(id);
  }

  // Keeps the answers that occur in the context.
  bool can_train(Question& question) {
    std::erase_if(question.answers, [](const Answer& answer) { return !answer.has_place(); });
    if (question.is_impossible || !question.answers.empty()) return true;
    ++set_.dropped;
    return false;
  }

  const std::string path_;
  const QuestionUse use_;
  QuestionSet set_;
  std::unordered_set<std::string> ids_;
  int64_t seen_ = 0;
};

std::string first_ids(const std::vector<std::string>& ids) {
  constexpr size_t kMost = 5;
  std::string text;
  for (size_t i = 0; i < std::min(ids.size(), kMost); ++i) text += (i == 0 ? "" : ", ") + ids[i];
  return ids.size() > kMost ? text + ", ..." : text;
}

}  // namespace

QuestionSet read_questions(const std::string& path, QuestionUse use) {
  const std::string text = whole_text(path);
  QuestionBuilder builder(path, use);
  // Articles are at depth 2 and paragraphs at depth 4. Each is dropped once it has been read, so
  // the whole tree is never in memory.
  const auto take = [&](int depth, json::parse_event_t event, json& value) {
    if (event != json::parse_event_t::object_end) return true;
    if (depth == 4 && (value.contains("context") || value.contains("qas")))
      builder.add_paragraph(value);
    return depth != 4 && depth != 2;
  };
  try {
    if (!json::parse(text, take).contains("data"))
      throw DataError(path + ": no \"data\"" + kExpectation);
  } catch (const json::parse_error& error) {
    const auto end = text.begin() + static_cast<int64_t>(std::min(error.byte, text.size()));
    throw DataError(path + ":" + std::to_string(1 + std::count(text.begin(), end, '\n')) +
                    ": not JSON: " + json_problem(error));
  } catch (const json::exception& error) {
    throw DataError(path + ": not JSON: " + json_problem(error));
  }
  return builder.finish();
}

std::string QuestionSet::summary() const {
  std::string text = std::to_string(questions.size()) + " questions on " +
                     std::to_string(contexts.size()) + " paragraphs";
  const int64_t impossible = std::ranges::count_if(questions, &Question::is_impossible);
  if (impossible > 0) text += ", " + std::to_string(impossible) + " without answer";
  const auto mention = [&](const std::vector<std::string>& ids, const char* what) {
    if (!ids.empty())
      text += "; " + std::to_string(ids.size()) + " " + what + ": " + first_ids(ids);
  };
  mention(repaired, "with an answer next to its offset, which was moved");
  mention(unplaced, "with an answer that is not at its offset");
  if (dropped > 0) text += "; " + std::to_string(dropped) + " questions dropped";
  return text;
}

}  // namespace dietmt::data
