// Questions on paragraphs as the windows that an encoder reads (data/tasks/span_windows.h), and
// their answers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bert/prediction/example_batches.h"
#include "data/tasks/question_reader.h"
#include "data/tasks/span_prediction.h"
#include "data/tasks/span_windows.h"
#include "data/text/bert_tokenizer.h"

namespace dietmt::bert {

/// Questions to answer. Question q has windows first_windows[q] .. first_windows[q + 1] - 1.
struct QuestionInputs {
  std::string name = {};  // of a validation set; suffix of the names of its scores
  std::string language = {};
  data::QuestionSet set = {};
  std::vector<data::TextPieces> contexts = {};  // as QuestionSet::contexts
  std::vector<data::SpanWindow> windows = {};
  std::vector<size_t> first_windows = {0};
  EncodedInputs inputs = {};  // the windows again, for the model
};

uint64_t content_hash(const QuestionInputs& questions);

/// The paragraphs of a set, in order.
std::vector<data::TextPieces> encode_contexts(const data::QuestionSet& set,
                                              const data::BertTokenizer& tokenizer);
QuestionInputs encode_questions(data::QuestionSet set, const data::BertTokenizer& tokenizer,
                                const data::WindowOptions& options);

/// From the scores of all windows to an answer for each question.
std::vector<data::SpanPrediction> predict_answers(const QuestionInputs& questions,
                                                  std::span<const data::WindowScores> scores,
                                                  const data::PredictionOptions& options);

}  // namespace dietmt::bert
