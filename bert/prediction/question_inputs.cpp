#include "bert/prediction/question_inputs.h"

#include <utility>

#include "data/corpus/corpus_encoding.h"

namespace dietmt::bert {

using data::QuestionSet;
using data::SpanWindow;
using data::TextPieces;

uint64_t content_hash(const QuestionInputs& questions) {
  uint64_t hash = content_hash(questions.inputs);
  for (const data::Question& question : questions.set.questions) {
    hash = random_key(hash, data::hash_of(question.id));
    for (const data::Answer& answer : question.answers)
      hash = random_key(hash, data::hash_of(answer.text));
  }
  return hash;
}

std::vector<TextPieces> encode_contexts(const QuestionSet& set,
                                        const data::BertTokenizer& tokenizer) {
  std::vector<TextPieces> contexts;
  for (const std::string& context : set.contexts) contexts.push_back(tokenizer.encode(context));
  return contexts;
}

QuestionInputs encode_questions(QuestionSet set, const data::BertTokenizer& tokenizer,
                                const data::WindowOptions& options) {
  QuestionInputs questions;
  questions.contexts = encode_contexts(set, tokenizer);
  for (const data::Question& question : set.questions) {
    for (SpanWindow& window :
         data::span_windows(tokenizer.encode(question.text), questions.contexts[question.context],
                            tokenizer.special(), options)) {
      questions.inputs.append(window.ids, window.context_begin);
      questions.windows.push_back(std::move(window));
    }
    questions.first_windows.push_back(questions.windows.size());
  }
  questions.set = std::move(set);
  return questions;
}

std::vector<data::SpanPrediction> predict_answers(const QuestionInputs& questions,
                                                  std::span<const data::WindowScores> scores,
                                                  const data::PredictionOptions& options) {
  std::vector<data::SpanPrediction> predictions;
  for (size_t q = 0; q < questions.set.questions.size(); ++q) {
    const size_t context = questions.set.questions[q].context;
    const size_t first = questions.first_windows[q];
    const size_t count = questions.first_windows[q + 1] - first;
    predictions.push_back(data::predict_span(
        questions.set.contexts[context], questions.contexts[context],
        std::span(questions.windows).subspan(first, count), scores.subspan(first, count), options));
  }
  return predictions;
}

}  // namespace dietmt::bert
