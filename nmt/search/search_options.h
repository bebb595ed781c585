// Options of the search for a translation: beam search (greedy with beam 1) or sampling.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "common/option_rule.h"
#include "nmt/model/config.h"

namespace dietmt::nmt {

/// `workers`, or if that is 0 as many as leave one core per thread of each worker.
int64_t usable_workers(int64_t workers, int64_t threads);

struct SearchOptions {
#define DIETMT_CALL_OPTION(group, type, name, usual, ...) type name = usual;
#define DIETMT_MODEL_OPTION(group, type, name, usual, ...) type name = usual;
#include "nmt/search/search_options.def"

  bool alignment = false;  // fill Hypothesis::attention

  /// The most tokens of any translation, in addition to a prefix.
  static constexpr int64_t kLongestTarget = 65536;

  /// All problems, one sentence each, naming the option of `dietmt translate`.
  std::vector<std::string> problems() const;

  /// Takes the options that a model wants, except those that `is_given`. Throws CheckpointError
  /// with the `file` for a name or a value that does not exist.
  void take(const SearchDefaults& defaults,
            const std::function<bool(const std::string& name)>& is_given = {},
            const std::string& file = "");

  /// For a model whose output another one translates: its best translation by beam search.
  SearchOptions for_pivot() const;

  /// ceil(beam * patience): the number of finished hypotheses that ends beam search (Kasai et al.
  /// 2022). With constraints, half as many end it, but never fewer than `nbest`.
  int64_t finished_to_end() const;

  /// Hypotheses per group of diverse beam search, and how many must be finished to end the group's
  /// search.
  int64_t group_beam() const { return beam / diverse_groups; }
  int64_t group_finished_to_end() const;

  /// The most hypotheses that wait for a token at the same time.
  int64_t rows() const { return sample ? nbest : beam; }

  /// Whether hypotheses need Hypothesis::attention.
  bool needs_attention() const { return alignment || coverage_penalty > 0.0; }

  /// Maximum length of the translation of `source_length` tokens; both include end of sentence.
  int64_t max_target_length(int64_t source_length) const;
};

/// What all fronts say about an option, and the values that they accept. The default is that of
/// SearchOptions().
struct SearchOption {
  enum class Group { kText, kResult, kSearch, kSampling, kMachine };
  using Field = std::variant<int64_t SearchOptions::*, double SearchOptions::*,
                             bool SearchOptions::*, std::string SearchOptions::*>;

  std::string name;  // max_length_factor
  Group group;
  Field field;
  std::string placeholder, help;
  OptionRule rule;
};

/// All options of search_options.def.
const std::vector<SearchOption>& search_option_table();

/// The one of a field: search_option(&SearchOptions::beam).
const SearchOption& search_option(SearchOption::Field field);

}  // namespace dietmt::nmt
