#include "data/corpus/stages.h"

#include <sstream>
#include <string_view>

#include "common/error.h"
#include "common/numbers.h"
#include "common/option_rule.h"
#include "common/text_io.h"
#include "common/trimmed.h"
#include "data/corpus/corpus_shares.h"

namespace dietmt::data {
namespace {

constexpr std::string_view kBlanks = " \t\r";
constexpr std::string_view kForm =
    "a line is 'N epochs: WEIGHTS' or 'N updates: WEIGHTS', the last one 'rest: WEIGHTS'";
constexpr size_t kMostStages = 10'000;

// "2 epochs", "20000 updates", "rest".
bool read_length(std::string_view text, Stage& stage) {
  text = trimmed(text, kBlanks);
  if (text == "rest") return true;
  const size_t gap = text.find_first_of(kBlanks);
  if (gap == text.npos) return false;
  const int64_t number = number_in<int64_t>(text.substr(0, gap)).value_or(0);
  if (number < 1 || number > OptionRule::kMost) return false;
  const std::string_view unit = trimmed(text.substr(gap), kBlanks);
  if (unit == "epochs" || unit == "epoch") stage.epochs = number;
  if (unit == "updates" || unit == "update") stage.updates = number;
  return stage.epochs + stage.updates > 0;
}

Stage stage_of(const std::string& line, int64_t corpora) {
  Stage stage;
  const size_t colon = line.find(':');
  if (colon == line.npos || !read_length(std::string_view(line).substr(0, colon), stage))
    throw ConfigError(std::string(kForm));
  std::istringstream words(line.substr(colon + 1));
  for (std::string word; words >> word;) {
    const auto weight = number_in<double>(word);
    if (!weight) throw ConfigError("'" + word + "' is no weight of a corpus");
    stage.weights.push_back(*weight);
  }
  if (stage.weights.empty()) throw ConfigError(std::string(kForm));
  const std::vector<std::string> problems = weight_problems(stage.weights, corpora);
  if (!problems.empty()) throw ConfigError(problems.front());
  return stage;
}

bool is_endless(const Stage& stage) { return stage.epochs + stage.updates == 0; }

}  // namespace

std::vector<Stage> read_stages(const std::string& file, int64_t corpora) {
  LineReader reader(file, kMaxLineBytes);
  std::vector<Stage> stages;
  for (std::string line; reader.next(line);) {
    const std::string_view content =
        trimmed(std::string_view(line).substr(0, line.find('#')), kBlanks);
    if (content.empty()) continue;
    try {
      if (!stages.empty() && is_endless(stages.back()))
        throw ConfigError("this stage comes after the last one, 'rest'");
      if (stages.size() == kMostStages) throw ConfigError("there are too many stages");
      stages.push_back(stage_of(std::string(content), corpora));
    } catch (const ConfigError& error) {
      throw ConfigError(reader.where() + ": " + error.what());
    }
  }
  if (stages.empty() || !is_endless(stages.back()))
    throw ConfigError(file + ": the last stage, 'rest: WEIGHTS', is missing");
  return stages;
}

std::string stages_text(const std::vector<Stage>& stages) {
  std::string text;
  for (const Stage& stage : stages) {
    if (!text.empty()) text += "; ";
    if (stage.epochs > 0)
      text += std::to_string(stage.epochs) + " epochs:";
    else if (stage.updates > 0)
      text += std::to_string(stage.updates) + " updates:";
    else
      text += "rest:";
    for (const double weight : stage.weights) text += ' ' + text_of(weight);
  }
  return text;
}

}  // namespace dietmt::data
