#include "nmt/translation/output_guard.h"

#include <algorithm>
#include <map>
#include <utility>

#include "common/error.h"
#include "nmt/alignment/text_shape.h"
#include "nmt/translation/line_tokens.h"

namespace dietmt::nmt {
namespace {

// What a second search must do differently.
struct Care {
  int64_t no_repeat_ngram = 3;
  int64_t min_length = 1;
  auto operator<=>(const Care&) const = default;

  SearchOptions applied_to(SearchOptions search) const {
    if (search.no_repeat_ngram == 0 || search.no_repeat_ngram > no_repeat_ngram)
      search.no_repeat_ngram = no_repeat_ngram;
    search.min_length = std::max(search.min_length, min_length);
    return search;
  }
};

// The tokens of the sentence itself.
std::span<const int32_t> sentence_of(const data::Tokenizer& tokenizer,
                                     const TranslationRequest& request) {
  const size_t end = request.source.size() - tokenizer.source_ending().size();
  const auto begin = static_cast<size_t>(request.context_tokens);
  return std::span(request.source).subspan(begin, end - begin);
}

bool has_letters(const data::Tokenizer& tokenizer, std::span<const int32_t> ids) {
  return has_letter(decode_line(tokenizer, ids));
}

// Sets `care` if there is a sign.
Degeneration sign_of(const LoadedDecoder& model, const TranslationRequest& request,
                     const NBest& translations, Care& care) {
  if (translations.empty()) return Degeneration::kNone;
  const data::Tokenizer& tokenizer = *model.target_tokenizer;
  const auto source = sentence_of(*model.source_tokenizer, request);
  const std::span<const int32_t> target = translations.front().ids;
  const Degeneration sign = degeneration(source, target);
  if (sign == Degeneration::kTooShort) care.min_length = least_length(source.size());
  if (sign != Degeneration::kNone || source.empty()) return sign;
  if (!is_visible(decode_line(tokenizer, target))) return Degeneration::kEmpty;
  // Digits may well repeat, as in 1000000.
  const auto phrase = repeated_phrase(source, target);
  if (phrase.empty() || !has_letters(tokenizer, phrase)) return Degeneration::kNone;
  if (phrase.size() < 3) care.no_repeat_ngram = 2;
  return Degeneration::kRepetition;
}

}  // namespace

Guard guard_from_name(const std::string& name) {
  if (name == "off") return Guard::kOff;
  if (name == "report") return Guard::kReport;
  if (name == "retry") return Guard::kRetry;
  throw ConfigError("unknown guard '" + name + "'; possible: off, report, retry");
}

std::string guard_warning(const GuardOutcome& outcome) {
  return std::string("a translation ") + description(outcome.sign) +
         (outcome.replaced      ? "; it was replaced by another one"
          : outcome.kept_source ? "; the text was left as it is"
                                : "");
}

std::vector<GuardOutcome> guard_output(Guard guard, const LoadedDecoder& model,
                                       std::span<const TranslationRequest> requests,
                                       const SearchOptions& search, const SecondSearch& again,
                                       std::vector<NBest>& found) {
  std::vector<GuardOutcome> outcomes(found.size());
  if (guard == Guard::kOff) return outcomes;
  std::map<Care, std::vector<size_t>> places;
  for (size_t i = 0; i < found.size(); ++i) {
    Care care;
    outcomes[i].sign = sign_of(model, requests[i], found[i], care);
    if (outcomes[i].sign != Degeneration::kNone) places[care].push_back(i);
  }
  if (guard == Guard::kReport) return outcomes;
  for (const auto& [care, alike] : places) {
    std::vector<TranslationRequest> repeated;
    for (const size_t i : alike) repeated.push_back(requests[i]);
    std::vector<NBest> second = again(std::move(repeated), care.applied_to(search));
    for (size_t r = 0; r < second.size(); ++r) {
      const size_t i = alike[r];
      Care unused;
      if (second[r].empty() ||
          sign_of(model, requests[i], second[r], unused) != Degeneration::kNone)
        continue;
      found[i] = std::move(second[r]);
      outcomes[i].replaced = true;
    }
  }
  return outcomes;
}

}  // namespace dietmt::nmt
