#include "service/documents/subtitles/timed_codes.h"

#include <algorithm>

namespace dietmt::service {

std::vector<size_t> places_of(const std::vector<TimedCode>& codes, const LinePieces& pieces,
                              LinePieces::Run run) {
  const size_t begin = pieces.begin_of(run), end = pieces.end_of(run);
  std::vector<size_t> places;
  size_t piece = run.first;  // the one before which the next code may be
  for (const TimedCode& code : codes) {
    const double wished =
        static_cast<double>(begin) + code.share * static_cast<double>(end - begin);
    const auto distance = [&](size_t one) {
      const size_t at = one < run.last ? pieces.begin_of({one, one + 1}) : end;
      return std::abs(static_cast<double>(at) - wished);
    };
    while (piece < run.last && distance(piece + 1) <= distance(piece)) ++piece;
    const bool is_after = code.closes || piece == run.last;
    size_t at = is_after ? begin : pieces.begin_of({piece, piece + 1});
    if (is_after && piece > run.first) at = pieces.end_of({piece - 1, piece});
    places.push_back(std::max(at, places.empty() ? begin : places.back()));
  }
  return places;
}

}  // namespace dietmt::service
