// dietmt translate.
#include "tools/commands.h"
#include "tools/decoder_source.h"
#include "tools/translate_text.h"

namespace dietmt::tools {

int run_translate(const std::vector<std::string>& arguments) {
  const std::optional<TranslateOptions> options = parse_translate(arguments);
  if (!options) return 0;
  translate_text(*options,
                 decoder_source(*options, !options->prefix.empty(), "translate", arguments));
  return 0;
}

}  // namespace dietmt::tools
