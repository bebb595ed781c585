// Questions on paragraphs as windows that an encoder reads (data/tasks/span_windows.h).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bert/finetuning/encoded_inputs.h"
#include "bert/finetuning/task_data.h"
#include "bert/finetuning/task_description.h"
#include "data/tasks/question_reader.h"

namespace dietmt::bert {

/// Windows to train on: the first answer with a place, or [CLS] where the window does not have it.
struct SpanInputs {
  EncodedInputs windows;
  std::vector<data::SpanLabel> labels;  // one a window
};

/// Questions to answer. Question q has windows first_windows[q] .. first_windows[q + 1] - 1.
struct QuestionInputs {
  std::string name = {};  // of a set for validation; what the names of its scores end in
  std::string language = {};
  data::QuestionSet set = {};
  std::vector<data::TextPieces> contexts = {};  // as QuestionSet::contexts
  std::vector<data::SpanWindow> windows = {};
  std::vector<size_t> first_windows = {0};
  EncodedInputs inputs = {};  // the windows again, for the model
};

uint64_t content_hash(const SpanInputs& inputs);
uint64_t content_hash(const QuestionInputs& questions);

SpanInputs encode_answers(const data::QuestionSet& set, const data::BertTokenizer& tokenizer,
                          const data::WindowOptions& options);
QuestionInputs encode_questions(data::QuestionSet set, const data::BertTokenizer& tokenizer,
                                const data::WindowOptions& options);

/// From the scores of all windows to an answer for each question.
std::vector<data::SpanPrediction> predict_answers(const QuestionInputs& questions,
                                                  std::span<const data::WindowScores> scores,
                                                  const data::PredictionOptions& options);

struct SpanData {
  SpanInputs train;
  std::vector<QuestionInputs> valid;
};

/// Reads and encodes; logs what was read. Throws as data::read_questions().
SpanData read_spans(const TaskDescription& description, const TaskFiles& files,
                    const data::BertTokenizer& tokenizer);

}  // namespace dietmt::bert
