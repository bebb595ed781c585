// Options by name, for the C interface.
#pragma once

#include <atomic>
#include <string_view>

#include "dietmt/c.h"
#include "dietmt/translator.h"

/// `cancelled` is that of dietmt_options_cancel().
struct dietmt_options {
  dietmt::TranslatorOptions load;
  dietmt::TranslateOptions translate;
  std::atomic<bool> cancelled = false;
};

namespace dietmt {

/// Sets the option of that name in `options.load` or `options.translate`. Throws UsageError if
/// there is none, or if the value is not one of its type; ranges are checked where the option is
/// used.
void set_option(dietmt_options& options, std::string_view name, std::string_view value);

}  // namespace dietmt
