// What requests of DeepL's clients say about glossaries. Each function throws HttpError 400 or
// DataError, naming the field.
#pragma once

#include <string>
#include <vector>

#include "service/api/fields.h"
#include "service/api/language_pairs.h"
#include "service/jobs/client_glossaries.h"

namespace dietmt::service {

/// A language code as a tag in lower case.
std::string lower_tag(const std::string& code);

/// The tag in a field.
std::string language_of(const Fields& fields, const std::string& field);

std::string glossary_name(const Fields& fields);

/// Terms for one of `pairs`, in TSV or CSV. Long ones wait for their turn: also DeadlineExceeded
/// and ClientGone.
NewDictionary new_dictionary(const Fields& fields, const Call& call, const LanguagePairs& pairs);

/// The list `dictionaries`, each pair of languages once.
std::vector<NewDictionary> new_dictionaries(const Fields& fields, const Call& call,
                                            const LanguagePairs& pairs);

}  // namespace dietmt::service
