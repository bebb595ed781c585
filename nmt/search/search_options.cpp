#include "nmt/search/search_options.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

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

const std::vector<SearchOption>& search_option_table() {
  using enum SearchOption::Group;
  static const std::vector<SearchOption> table = {
#define DIETMT_CALL_OPTION(group, type, name, usual, placeholder, help, ...) \
  {#name, group, &SearchOptions::name, placeholder, help, OptionRule{__VA_ARGS__}},
#define DIETMT_MODEL_OPTION DIETMT_CALL_OPTION
#include "nmt/search/search_options.def"
  };
  return table;
}

const SearchOption& search_option(SearchOption::Field field) {
  return *std::ranges::find(search_option_table(), field, &SearchOption::field);
}

std::vector<std::string> SearchOptions::problems() const {
  std::vector<std::string> found;
  for (const SearchOption& option : search_option_table()) {
    const std::string name = setting_key(option.name, "");
    std::visit([&](auto field) { check_range(found, name, option.rule, this->*field); },
               option.field);
  }
  const auto require = [&](bool holds, const std::string& sentence) {
    if (!holds) found.push_back(sentence);
  };
  require(sample || beam < 1 || nbest <= beam, "--nbest must not be larger than --beam");
  if (sample) {
    require(patience == 1.0, "--patience is for beam search: leave out --sample");
  } else if (nbest <= beam && search_option(&SearchOptions::patience).rule.allows(patience)) {
    require(nbest <= finished_to_end(), "--nbest must not be larger than --beam * --patience");
  }
  if (diverse_groups > 1) {
    require(!sample, "--diverse-groups is for beam search: leave out --sample");
    if (!sample) check_divisible(found, "--beam", beam, "--diverse-groups", diverse_groups);
  } else {
    require(diversity_strength == SearchOptions().diversity_strength,
            "--diversity-strength needs --diverse-groups 2 or more");
  }
  require(!sample || coverage_penalty == 0.0,
          "--coverage-penalty is for beam search: leave out --sample");
  require(sample || (top_k == 0 && top_p == 1.0 && epsilon == 0.0 && temperature == 1.0),
          "--top-k, --top-p, --epsilon and --temperature need --sample");
  return found;
}

void SearchOptions::take(const SearchDefaults& defaults,
                         const std::function<bool(const std::string&)>& is_given,
                         const std::string& file) {
  const std::string where = file.empty() ? "search: " : file + ": search: ";
  for (const auto& [name, value] : defaults) {
    const auto option = std::ranges::find(search_option_table(), name, &SearchOption::name);
    const auto set = [&](auto field) {
      auto& own = this->*field;
      using Value = std::remove_reference_t<decltype(own)>;
      if constexpr (std::is_same_v<Value, int64_t> || std::is_same_v<Value, double>) {
        const bool fits = std::is_same_v<Value, double> || value == std::floor(value);
        const std::string problem =
            fits ? option->rule.problem(name, value)
                 : name + " is " + text_of(value) + "; it must be a whole number";
        if (!problem.empty()) throw CheckpointError(where + problem);
        if (!is_given || !is_given(name)) own = static_cast<Value>(value);
        return true;
      }
      return false;
    };
    if (option == search_option_table().end() || !std::visit(set, option->field))
      throw CheckpointError(where + name + " is not a number among the options of a search");
  }
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
