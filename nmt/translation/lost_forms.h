// Superscripts, subscripts and the like, which tokenizers replace before a model sees them.
#pragma once

#include <string>
#include <string_view>

namespace dietmt::nmt {

/// A translation in which words have the form of the source again that NFKC took from them: m² for
/// m2, H₂O for H2O. Only words with letters, and only those that the translation has as often as
/// the source, always in one form.
std::string with_forms_of(std::string_view source, std::string translation);

}  // namespace dietmt::nmt
