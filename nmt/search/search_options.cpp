#include "nmt/search/search_options.h"

#include <algorithm>
#include <cmath>

#include "common/checks.h"
#include "common/error.h"
#include "common/process.h"

namespace dietmt::nmt {
namespace {

int64_t finished(int64_t beam, double patience) {
  if (beam == 1) return 1;  // greedy
  // Compensates rounding: 10 * 1.1 is slightly more than 11.
  constexpr double kRounding = 1e-9;
  return std::max<int64_t>(
      1, static_cast<int64_t>(std::ceil(static_cast<double>(beam) * patience - kRounding)));
}

}  // namespace

LengthNorm parse_length_norm(const std::string& name) {
  if (name == "power") return LengthNorm::kPower;
  if (name == "gnmt") return LengthNorm::kGnmt;
  throw ConfigError("unknown length normalization '" + name + "'; possible: power, gnmt");
}

std::vector<std::string> SearchOptions::problems() const {
  std::vector<std::string> found;
  const auto require = [&](bool holds, const std::string& sentence) {
    if (!holds) found.push_back(sentence);
  };
  const auto check = [&](const char* option, const OptionRule& rule, auto value) {
    check_range(found, option, rule, value);
  };
  check("--beam", search_rules::kBeam, beam);
  check("--nbest", search_rules::kBeam, nbest);
  require(sample || nbest <= beam, "--nbest must not be larger than --beam");
  check("--patience", search_rules::kPatience, patience);
  if (sample) {
    require(patience == 1.0, "--patience is for beam search: leave out --sample");
  } else if (nbest <= beam && search_rules::kPatience.allows(patience)) {
    require(nbest <= finished_to_end(), "--nbest must not be larger than --beam * --patience");
  }
  check("--diverse-groups", search_rules::kBeam, diverse_groups);
  check("--diversity-strength", search_rules::kDiversityStrength, diversity_strength);
  check("--coverage-penalty", search_rules::kCoveragePenalty, coverage_penalty);
  if (diverse_groups > 1) {
    require(!sample, "--diverse-groups is for beam search: leave out --sample");
    if (!sample) check_divisible(found, "--beam", beam, "--diverse-groups", diverse_groups);
  } else {
    require(diversity_strength == SearchOptions().diversity_strength,
            "--diversity-strength needs --diverse-groups 2 or more");
  }
  require(!sample || coverage_penalty == 0.0,
          "--coverage-penalty is for beam search: leave out --sample");
  check("--length-penalty", search_rules::kLengthPenalty, length_penalty);
  check("--max-length-factor", search_rules::kMaxLengthFactor, max_length_factor);
  check("--max-length-offset", search_rules::kMaxLengthOffset, max_length_offset);
  check("--min-length", search_rules::kMinLength, min_length);
  check("--no-repeat-ngram", search_rules::kNoRepeatNgram, no_repeat_ngram);
  check("--repetition-penalty", search_rules::kRepetitionPenalty, repetition_penalty);
  check("--max-source-length", search_rules::kMaxSourceLength, max_source_length);
  check("--top-k", search_rules::kTopK, top_k);
  check("--top-p", search_rules::kTopP, top_p);
  check("--temperature", search_rules::kTemperature, temperature);
  require(sample || (top_k == 0 && top_p == 1.0 && temperature == 1.0),
          "--top-k, --top-p and --temperature need --sample");
  check("--batch-tokens", ranges::kBatchTokens, batch_tokens);
  check("--workers", ranges::kThreads, workers);
  check("--threads", search_rules::kWorkerThreads, threads);
  return found;
}

int64_t usable_workers(int64_t workers, int64_t threads) {
  return workers > 0 ? workers
                     : std::max<int64_t>(1, usable_cores() / std::max<int64_t>(1, threads));
}

SearchOptions SearchOptions::for_pivot() const {
  SearchOptions pivot;
  pivot.beam = beam;
  pivot.max_length_factor = max_length_factor;
  pivot.max_length_offset = max_length_offset;
  pivot.max_source_length = max_source_length;
  pivot.batch_tokens = batch_tokens;
  pivot.workers = workers;
  pivot.threads = threads;
  return pivot;
}

int64_t SearchOptions::finished_to_end() const { return finished(beam, patience); }

int64_t SearchOptions::group_finished_to_end() const { return finished(group_beam(), patience); }

int64_t SearchOptions::max_target_length(int64_t source_length) const {
  const double scaled = max_length_factor * static_cast<double>(source_length);
  if (scaled >= static_cast<double>(kLongestTarget)) return kLongestTarget;
  return std::min(static_cast<int64_t>(scaled) + max_length_offset, kLongestTarget);
}

}  // namespace dietmt::nmt
