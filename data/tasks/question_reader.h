// Questions on paragraphs, in the JSON form of SQuAD 1.1 and 2.0 (Rajpurkar et al. 2016, 2018),
// which XQuAD, MLQA and TyDiQA-GoldP share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dietmt::data {

/// Bytes begin .. end-1 of the context; -1, -1: unknown.
struct Answer {
  std::string text = {};
  int64_t begin = -1;
  int64_t end = -1;
  bool has_place() const { return begin >= 0; }
};

struct Question {
  std::string id = {};
  std::string text = {};
  size_t context = 0;  // index in QuestionSet::contexts
  std::vector<Answer> answers = {};
  bool is_impossible = false;  // the context has no answer: the file says so, or lists none
};

struct QuestionSet {
  std::vector<std::string> contexts = {};  // one per paragraph, shared by its questions
  std::vector<Question> questions = {};
  std::vector<std::string> repaired = {};  // ids: an answer was moved to its nearby occurrence
  std::vector<std::string> unplaced = {};  // ids: an answer does not occur nearby
  int64_t dropped = 0;  // questions not used for training: no answer occurs in the context

  /// One sentence: questions, contexts, repaired and dropped questions with ids.
  std::string summary() const;
};

enum class QuestionUse {
  kTraining,    // answers have a place; questions without such an answer are dropped and counted
  kEvaluation,  // all questions and texts of answers; a test set may leave "answers" out
};

/// `path` may be compressed or "-". Offsets in the file are code points. An answer that is not at
/// its offset is moved if its text occurs exactly once less than 32 bytes away. Throws DataError if
/// the file is not JSON (file:line), part of a question is missing or has a wrong type or an id is
/// repeated (file and id), or there are no questions.
QuestionSet read_questions(const std::string& path, QuestionUse use);

}  // namespace dietmt::data
