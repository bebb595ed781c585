#include "bert/finetuning/finetuning_data.h"

namespace dietmt::bert {

FinetuningData read_data(TaskDescription& description, const TaskFiles& files,
                         const data::BertTokenizer& tokenizer) {
  if (description.kind() == data::TaskKind::kSpan) return read_spans(description, files, tokenizer);
  return read_labelled(description, files, tokenizer);
}

int64_t training_inputs(const FinetuningData& data) {
  if (const auto* labelled = std::get_if<LabelledData>(&data)) return labelled->train.inputs.size();
  return std::get<SpanData>(data).train.windows.size();
}

uint64_t content_hash(const FinetuningData& data) {
  return std::visit(
      [](const auto& sets) {
        return random_key(content_hash(sets.train), content_hash(sets.valid));
      },
      data);
}

std::unique_ptr<FinetuningTask> make_task(std::shared_ptr<encoders::Bert> model,
                                          const data::BertTokenizer& tokenizer,
                                          const TaskDescription& description,
                                          const FinetuningData& data,
                                          const FinetuningOptions& options) {
  if (const auto* labelled = std::get_if<LabelledData>(&data))
    return std::make_unique<ClassificationTask>(std::move(model), tokenizer, description,
                                                labelled->train, labelled->valid, options);
  const auto& spans = std::get<SpanData>(data);
  return std::make_unique<SpanTask>(std::move(model), tokenizer, description, spans.train,
                                    spans.valid, options);
}

}  // namespace dietmt::bert
