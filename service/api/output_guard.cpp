#include "service/api/output_guard.h"

#include <algorithm>

#include "common/error.h"
#include "service/scheduling/scheduling_errors.h"

namespace dietmt::service {
namespace {

nmt::Degeneration sign_of(const nmt::TranslationRequest& request, const nmt::NBest& translations) {
  if (translations.empty()) return nmt::Degeneration::kNone;
  const auto before = static_cast<size_t>(request.context_tokens);
  const auto source = std::span(request.source).subspan(before, request.source.size() - 1 - before);
  return nmt::degeneration(source, translations.front().ids);
}

nmt::SearchOptions careful(nmt::SearchOptions search) {
  constexpr int64_t kNgram = 3;
  search.no_repeat_ngram =
      search.no_repeat_ngram > 0 ? std::min(search.no_repeat_ngram, kNgram) : kNgram;
  search.min_length = std::max<int64_t>(search.min_length, 1);
  return search;
}

}  // namespace

Guard guard_from_name(const std::string& name) {
  if (name == "off") return Guard::kOff;
  if (name == "report") return Guard::kReport;
  if (name == "retry") return Guard::kRetry;
  throw ConfigError("unknown guard '" + name + "'; possible: off, report, retry");
}

std::vector<GuardOutcome> guard_output(ServedModel& model, Guard guard,
                                       std::span<const nmt::TranslationRequest> requests,
                                       const nmt::SearchOptions& search, const Patience& patience,
                                       std::vector<nmt::NBest>& found) {
  std::vector<GuardOutcome> outcomes(found.size());
  if (guard == Guard::kOff) return outcomes;
  std::vector<nmt::TranslationRequest> again;
  std::vector<size_t> places;
  for (size_t i = 0; i < found.size(); ++i) {
    outcomes[i].sign = sign_of(requests[i], found[i]);
    if (outcomes[i].sign == nmt::Degeneration::kNone || guard == Guard::kReport) continue;
    again.push_back(requests[i]);
    places.push_back(i);
  }
  if (again.empty()) return outcomes;
  std::vector<nmt::NBest> second;
  try {
    second = model.queue().translate(again, careful(search), patience);
  } catch (const QueueFull&) {  // the first translations are better than none
  } catch (const DeadlineExceeded&) {
  }
  for (size_t r = 0; r < second.size(); ++r) {
    if (second[r].empty() || sign_of(again[r], second[r]) != nmt::Degeneration::kNone) continue;
    found[places[r]] = std::move(second[r]);
    outcomes[places[r]].replaced = true;
  }
  return outcomes;
}

}  // namespace dietmt::service
