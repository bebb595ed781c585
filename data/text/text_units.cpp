#include "data/text/text_units.h"

#include <unicode/brkiter.h>
#include <unicode/utext.h>

#include <memory>
#include <string>

#include "common/error.h"

namespace dietmt::data {
namespace {

void check(UErrorCode status) {
  if (U_FAILURE(status))
    throw Error(std::string("ICU cannot divide a text: ") + u_errorName(status));
}

std::unique_ptr<icu::BreakIterator> iterator_of(TextUnit unit) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Locale& root = icu::Locale::getRoot();
  std::unique_ptr<icu::BreakIterator> iterator(
      unit == TextUnit::kWord ? icu::BreakIterator::createWordInstance(root, status)
                              : icu::BreakIterator::createLineInstance(root, status));
  check(status);
  return iterator;
}

}  // namespace

std::vector<size_t> unit_ends(std::string_view text, TextUnit unit) {
  thread_local const std::unique_ptr<icu::BreakIterator> words = iterator_of(TextUnit::kWord);
  thread_local const std::unique_ptr<icu::BreakIterator> lines = iterator_of(TextUnit::kLine);
  icu::BreakIterator& iterator = unit == TextUnit::kWord ? *words : *lines;
  UErrorCode status = U_ZERO_ERROR;
  UText* const input =
      utext_openUTF8(nullptr, text.data(), static_cast<int64_t>(text.size()), &status);
  iterator.setText(input, status);
  std::vector<size_t> ends;
  for (int32_t end = 0; U_SUCCESS(status) && (end = iterator.next()) != icu::BreakIterator::DONE;)
    ends.push_back(static_cast<size_t>(end));
  utext_close(input);
  check(status);
  return ends;
}

}  // namespace dietmt::data
