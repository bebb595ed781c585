#include "data/sample/meaning.h"

namespace dietmt::data {

const NounPhrase& gap_of(const Clause& relative) {
  const bool is_subject = relative.subject.form == NounPhrase::Form::kGap;
  return is_subject ? relative.subject : *relative.object;
}

const NounPhrase* question_phrase(const Clause& clause) {
  if (is_question_phrase(clause.subject)) return &clause.subject;
  if (clause.object && is_question_phrase(*clause.object)) return &*clause.object;
  return nullptr;
}

}  // namespace dietmt::data
