#include "encoders/attention/attention_recorder.h"

#include "common/error.h"
#include "encoders/attention/backends.h"
#include "encoders/attention/vector_terms.h"

namespace dietmt::encoders {
namespace {

thread_local AttentionRecorder* recorder_of_thread = nullptr;

}  // namespace

AttentionRecorder::AttentionRecorder() { recorder_of_thread = this; }

AttentionRecorder::~AttentionRecorder() { recorder_of_thread = nullptr; }

AttentionRecorder* AttentionRecorder::current() { return recorder_of_thread; }

void AttentionRecorder::record(const AttentionCall& call) {
  if (call.query_packing.sentences() != 1)
    throw Error("attention can be recorded for only one sentence at a time");
  if (compresses(call.terms)) {
    probabilities_.emplace_back();
    return;
  }
  Sentence sentence;
  sentence.q = call.queries.transpose(0, 1);
  sentence.k = call.keys.transpose(0, 1);
  sentence.segments = call.segments;
  sentence.causal = call.causal;
  probabilities_.push_back(sentence_probabilities(sentence, call.terms));
}

}  // namespace dietmt::encoders
