// A sentence as a model reads it, and its translations as a client gets them.
#pragma once

#include <string>
#include <vector>

#include "nmt/search/search_options.h"
#include "nmt/search/search_task.h"
#include "service/api/text_translator.h"
#include "service/scheduling/loaded_model.h"

namespace dietmt::service {

/// What the next model translates of a sentence.
const std::string& source_of(const TranslatedSentence& sentence);

/// Of source_of(). Fills what is known of the source: tokens, spans, bytes, and how many tokens
/// were cut. `wants_pieces`: source_pieces too.
nmt::TranslationRequest encode(TranslatedSentence& sentence, const LoadedModel& model,
                               const nmt::SearchOptions& search, bool wants_pieces);

/// A translation as the source writes its text: with entities in HTML.
Translation written(Translation parts, const TranslatedSentence& sentence,
                    const TextOptions& options);

/// A translation by the last model, with the marks of the sentence.
TranslatedSentence::Found decode(const TranslatedSentence& sentence,
                                 const nmt::Hypothesis& hypothesis, const LoadedModel& model,
                                 const TextOptions& options, const nmt::SearchOptions& search);

/// The next model gets the translation, with the marks in their new places.
void add_pivot(const nmt::Hypothesis& best, const LoadedModel& model,
               const nmt::SearchOptions& search, TranslatedSentence& sentence);

}  // namespace dietmt::service
